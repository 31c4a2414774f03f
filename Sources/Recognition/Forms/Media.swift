// SPDX-License-Identifier: Apache-2.0
extension KnownForm {
    private static let toJPEG = "convert a copy: ffmpeg -i FILE photo.jpg"
    private static let toMP4 = "convert a copy: ffmpeg -i FILE -c copy video.mp4"
    private static let phoneJPEG =
        "have the phone write JPEG (iOS: jpegData(compressionQuality:)), or convert a copy: heif-convert FILE photo.jpg"

    static let media: [KnownForm] = [
        KnownForm("jpeg", .media, "a JPEG picture", nil, .bytes(["FFD8FF(C0FE)"])),
        KnownForm("png", .media, "a PNG picture", nil, .bytes(["89504E470D0A1A0A"])),
        KnownForm(
            "png-as-text", .media, "a PNG picture that was taken for text on the way: its line breaks were rewritten",
            "transfer it as bytes (binary mode), and send it again",
            .bytes(["89504E470A1A0A", "89504E470D1A0D", "89504E470D0D0A1A", "89504E470D0A1A0D0A", "09504E470D0A1A0A"])),
        KnownForm(
            "avif", .media, "an AVIF picture", "have the phone write JPEG, or convert a copy: avifdec FILE photo.png",
            .rule(.namesAVIF)),
        // The brands of ISO/IEC 23008-12, and those of the codecs.
        KnownForm("heic", .media, "a HEIC picture", phoneJPEG, .rule(.namesHEIC)),
        KnownForm(
            "quicktime", .media, "a QuickTime movie", toMP4,
            .bytes([
                "0000....6674797071742020", "........6D6F6F76........6D766864", "........6D6F6F76........636D6F76",
                "........77696465........6D646174", "0000000077696465", "0000000877696465",
            ])),
        KnownForm(
            "3gp", .media, "a 3GP video", toMP4,
            .bytes(["0000....66747970336770", "0000....66747970336732", "0000....66747970336765"])),
        KnownForm(
            "m4a", .media, "an MPEG-4 audio file", "send the video, not its sound",
            .bytes(["0000....667479704D344120", "0000....667479704D344220"])),
        KnownForm("canon-raw", .media, "a raw picture of a camera (CR3)", toJPEG, .bytes(["0000....6674797063727820"])),
        // Fujifilm, Panasonic, Olympus, Sigma.
        KnownForm(
            "camera-raw", .media, "a raw picture of a camera (RAF, RW2, ORF, X3F)", toJPEG,
            .bytes(["46554A4946494C4D", "4949550018000000", "4949524F08000000", "4949525308000000", "464F5662(0003)"])),
        KnownForm("mp4", .media, "an MP4 video", nil, .bytes(["0000....66747970"])),
        KnownForm(
            "mp4-fragment", .media, "a piece of an MP4 video (a segment of a stream)",
            "join the segments behind their first one, which has the moov box",
            .bytes(["0000....73747970", "0000....6D6F6F66", "0000....73696478"])),
        KnownForm(
            "webp", .media, "a WebP picture",
            "have the sender write JPEG (Android: Bitmap.CompressFormat.JPEG), "
                + "or convert a copy: dwebp FILE -o photo.png",
            .bytes(["52494646........57454250"])),
        KnownForm("gif", .media, "a GIF picture", toJPEG, .bytes(["474946383761", "474946383961"])),
        KnownForm(
            "bmp", .media, "a BMP picture", toJPEG,
            .bytes([
                "424D........00000000........28000000", "424D........00000000........7C000000",
                "424D........00000000........6C000000", "424D........00000000........0C000000",
            ])),
        KnownForm("tiff", .media, "a TIFF picture", toJPEG, .bytes(["49492A00", "4D4D002A", "49492B00", "4D4D002B"])),
        KnownForm(
            "jpeg-xl", .media, "a JPEG XL picture", "convert a copy: djxl FILE photo.jpg",
            .bytes(["0000000C4A584C200D0A870A"])),
        KnownForm(
            "jpeg-xl-codestream", .media, "a JPEG XL picture without a file around it",
            "convert a copy: djxl FILE photo.jpg", .bytes(["FF0A(00FF)(00FF)(20FF)....(80BF)"])),
        KnownForm(
            "jpeg-2000", .media, "a JPEG 2000 picture", toJPEG,
            .bytes(["0000000C6A5020200D0A870A", "FF4FFF51"])),
        KnownForm("icon", .media, "a Windows icon", toJPEG, .bytes(["00000100(0140)00......00(0001)00(0020)00"])),
        KnownForm(
            "netpbm", .media, "a picture in PPM, PGM or PBM", toJPEG,
            .bytes(["50(3137)0A(3139)(2039)", "50(3137)20(3139)(2039)", "50(3137)0A23"])),
        KnownForm("exr", .media, "an OpenEXR picture", toJPEG, .bytes(["762F3101020000"])),
        KnownForm(
            "dicom", .media, "a DICOM file (of medical imaging)", "convert a copy: dcm2img FILE photo.jpg",
            .rule(.dicom)),
        KnownForm("psd", .media, "a Photoshop file", toJPEG, .bytes(["3842505300010000"])),
        KnownForm(
            "svg", .media, "an SVG drawing", "send a photo: a drawing is none",
            .anyCase(["<svg*", "<?xml*<svg*"])),
        KnownForm(
            "webm", .media, "a WebM video", toMP4.replacing(" -c copy", with: ""),
            .all([.bytes(["1A45DFA3"]), .rule(.namesWebM)])),
        KnownForm("matroska", .media, "a Matroska video (MKV)", toMP4, .bytes(["1A45DFA3"])),
        KnownForm(
            "avi", .media, "an AVI video", toMP4.replacing(" -c copy", with: ""),
            .bytes(["52494646........41564920"])),
        KnownForm(
            "wav", .media, "a WAV sound file", "send the video, not its sound",
            .bytes(["52494646........57415645"])),
        KnownForm("flv", .media, "a Flash video (FLV)", toMP4, .bytes(["464C5601(0005)00000009"])),
        KnownForm(
            "asf", .media, "a Windows Media file (WMV, ASF)", toMP4.replacing(" -c copy", with: ""),
            .bytes(["3026B2758E66CF11A6D900AA0062CE6C"])),
        KnownForm("ivf", .media, "an IVF file (VP8, VP9 or AV1)", toMP4, .bytes(["444B494600002000"])),
        KnownForm(
            "realmedia", .media, "a RealMedia file", toMP4.replacing(" -c copy", with: ""), .bytes(["2E524D46000000"])),
        KnownForm("mpeg-ts", .media, "an MPEG transport stream", toMP4, .rule(.mpegStream)),
        KnownForm(
            "mpeg-ps", .media, "an MPEG program stream", toMP4.replacing(" -c copy", with: ""),
            .bytes(["000001BA(4049)"])),
        KnownForm(
            "h264", .media, "a bare H.264 or H.265 stream, without a file around it",
            "put it into a file: ffmpeg -i FILE -c copy video.mp4",
            .bytes([
                "0000000167", "00000167(424D)", "0000016764", "0000000106",
                "0000000127", "0000000109(1070)", "000000014001", "00000001460100", "00000001460150",
            ])),
        KnownForm("ogg", .media, "an Ogg file", toMP4.replacing(" -c copy", with: ""), .bytes(["4F67675300"])),
        KnownForm("mp3", .media, "an MP3 sound file", "send the video, not its sound", .bytes(["494433(0204)00"])),
        KnownForm("amr", .media, "an AMR sound file", "send the video, not its sound", .bytes(["2321414D52"])),
        KnownForm("flac", .media, "a FLAC sound file", "send the video, not its sound", .bytes(["664C614300000022"])),
        KnownForm(
            "hls", .media, "a playlist of a stream (HLS)",
            "send the video that it names: ffmpeg -i FILE -c copy video.mp4", .text(["\\#EXTM3U*"])),
        KnownForm("pdf", .media, "a PDF document", "send the picture itself", .bytes(["255044462D"])),
        KnownForm(
            "ole", .media, "an old Office document or another OLE file", "send the picture or document itself",
            .bytes(["D0CF11E0A1B11AE1"])),
    ]
}
