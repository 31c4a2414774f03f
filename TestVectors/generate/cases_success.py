# SPDX-License-Identifier: Apache-2.0
"""Cases that succeed: sealed, plain and the photo."""

from __future__ import annotations

from evidence_v1 import write_payload
from kit import (
    ORDER,
    PHOTO,
    VIDEO,
    Kit,
    b64,
    deep,
    media,
    names,
    once,
    plain_payload,
    seal_field,
    sealed_payload,
    text_of_escapes,
    wrap,
    wrap_to_leading_zero,
)
from rsa_by_hand import Stream


def success(kit: Kit) -> None:
    kit.opens("success_as_written", "the base of most cases", kit.base)
    for length in (0, 1, 15, 16, 17, 4096):
        plain = Stream(f"video {length}").take(length)
        kit.opens(
            f"success_video_of_{length}_bytes",
            f"a video of {length} bytes",
            sealed_payload(f"{length}", plain),
            plain,
        )
    large = Stream("video of 1 MiB").take(1024 * 1024 + 1)
    kit.opens("success_video_of_1_mib_and_1_byte", "more than one chunk", sealed_payload("mib", large), large)
    clip = media("clip.mp4")
    kit.opens("success_mp4", "media/clip.mp4", sealed_payload("mp4", clip), clip)
    for bits in (2048, 3072, 4096):
        key_file = f"rsa{bits}.pem"
        kit.opens(
            f"success_rsa_{bits}", f"a key of {bits} bits", sealed_payload(key_file, VIDEO, key_file), key=key_file
        )

    for length in (1, 32):
        payload = sealed_payload(f"order {length}", VIDEO, order=("Az09" * 8)[:length])
        kit.opens(f"success_order_of_{length}_characters", f"{length} is allowed", payload)
    kit.opens(
        "success_wrapped_key_begins_with_zero",
        "as long as the modulus all the same",
        write_payload(ORDER, wrap_to_leading_zero(kit.content_key), kit.sealed),
    )

    kit.opens("success_android_key", "the wrapped key under Android's documented name", once(kit.base, b"videoEncryptAESKey", b"userEncryptKey"))
    kit.opens(
        "success_android_key_beside_null",
        "null is the same as absent",
        once(kit.base, b'"videoEncryptAESKey":"', b'"videoEncryptAESKey":null,"userEncryptKey":"'),
    )
    kit.opens("success_no_line_feed_at_end", "the line feed is only how we write", kit.base[:-1])
    kit.opens("success_whole_result", "a result that carries the payload object", kit.whole_result())
    order = ORDER.encode()
    video, key = b64(kit.sealed), b64(kit.wrapped)
    kit.opens(
        "success_vendor_order",
        "video first, then its key, then the order number",
        b'{"userVideoString":"%s","videoEncryptAESKey":"%s","orderNo":"%s"}\n' % (video, key, order),
    )
    kit.opens(
        "success_order_after_simple_mode_result",
        "the enclosing order number comes last",
        b'{"simpleModeResult":' + kit.without_order()[:-1] + b',"orderNo":"%s"}\n' % order,
    )
    kit.opens(
        "success_order_only_in_enclosing_result",
        "no order number in the payload object",
        kit.whole_result(inner=kit.without_order()[:-1]),
    )
    kit.opens(
        "success_order_null_in_payload_object",
        "null is the same as absent",
        kit.whole_result(inner=kit.with_order(b"null")[:-1]),
    )
    kit.opens(
        "success_order_null_in_enclosing_result",
        "null is the same as absent",
        kit.whole_result(outer=b'"orderNo":null,'),
    )
    kit.opens("success_order_only_in_payload_object", "no order number around it", kit.whole_result(outer=b""))
    kit.opens(
        "success_order_twice_equal_by_escape",
        "equal after unescaping",
        kit.whole_result(outer=b'"orderNo":"%s",' % text_of_escapes(order)),
    )

    assert b"/" in video and b"/" in key
    slash = kit.base.replace(b"/", b"\\/")
    kit.opens("success_escaped_slashes", "base64 with \\/", slash)
    kit.opens("success_unicode_escaped_slashes", "base64 with \\u002f", kit.base.replace(b"/", b"\\u002f"))
    kit.opens(
        "success_unicode_escape_upper_case",
        "base64 with \\u002F and \\u002B",
        kit.base.replace(b"/", b"\\u002F").replace(b"+", b"\\u002B"),
    )
    kit.opens(
        "success_every_character_escaped",
        "the whole video as \\u escapes",
        kit.with_video(b'"' + text_of_escapes(video) + b'"'),
    )
    kit.opens(
        "success_escape_in_names",
        "user\\u0056ideoString and the like",
        kit.base.replace(b"userVideoString", b"user\\u0056ideoString")
        .replace(b"orderNo", b"\\u006frderNo")
        .replace(b"videoEncryptAESKey", b"videoEncryptAES\\u004bey"),
    )
    kit.opens(
        "success_escape_in_simple_mode_result",
        "an escape in the name of the payload object",
        once(kit.whole_result(), b"simpleModeResult", b"simpleMode\\u0052esult"),
    )

    spaced = (
        b" \t\r\n{ \t\r\n"
        + kit.base[1:-2].replace(b":", b" \t:\r\n ").replace(b",", b"\r\n,\t ")
        + b"\n\t }\r\n \n"
    )
    kit.opens("success_white_space_everywhere", "all four white space characters between all tokens", spaced)
    kit.opens(
        "success_unknown_of_every_type",
        "unknown fields are skipped",
        kit.with_fields(
            b'"a":"text","b":0,"c":-1.5e+10,"d":true,"e":false,"f":null,"g":[],"h":{},"i":[1,"x",[null],{"y":2}],',
            b',"j":{"k":[{"l":{}}]},"m":-0,"n":1E-2',
        ),
    )
    decoy = (
        b'{"userVideoString":"AAAA","videoEncryptAESKey":"","orderNo":"other",'
        b'"simpleModeResult":{"userVideoString":"AAAA"}}'
    )
    kit.opens(
        "success_decoys_in_unknown_objects",
        "known names inside unknown fields mean nothing",
        kit.with_fields(b'"extra":' + decoy + b",", b',"more":[' + decoy + b"]"),
    )
    kit.opens(
        "success_decoy_beside_simple_mode_result",
        "as above, in a whole result",
        kit.whole_result(outer=b'"extra":%s,"orderNo":"%s",' % (decoy, order)),
    )
    kit.opens(
        "success_decoy_of_another_type",
        "known names inside unknown fields may be of any type",
        kit.with_unknown(b'{"userVideoString":1,"orderNo":[],"simpleModeResult":"x"}'),
    )
    kit.opens(
        "success_simple_mode_result_null",
        "null is the same as absent",
        kit.with_fields(b'"simpleModeResult":null,'),
    )
    kit.opens(
        "success_candidate_null",
        "a null beside the payload object is no second candidate",
        kit.whole_result(outer=b'"userVideoString":null,"videoEncryptAESKey":null,'),
    )
    kit.opens("success_error_null", "as vendors write it", kit.with_fields(b'"error":null,'))
    kit.opens(
        "success_known_fields_null",
        "null is the same as absent",
        kit.with_fields(b'"userImageString":null,"identifyStr":null,', b',"encryptAESKey":null'),
    )
    identify_key, identify = seal_field("identify", b"a comparison statement", field="identifyStr")
    wrapped_identify_key = wrap("identify", identify_key)
    kit.opens(
        "success_with_identify_str",
        "the other sealed field is there too",
        kit.with_fields(
            last=b',"encryptAESKey":"%s","identifyStr":"%s"' % (b64(wrapped_identify_key), b64(identify))
        ),
    )
    kit.opens(
        "success_with_photo",
        "the photo is there too",
        kit.with_fields(b'"userImageString":"%s",' % b64(media("photo.jpg"))),
    )
    kit.opens(
        "success_with_photo_in_enclosing_result",
        "the photo around the payload object",
        kit.whole_result(outer=b'"userImageString":"%s",' % b64(PHOTO)),
    )

    kit.opens(
        "success_text_of_every_length",
        "unknown names and texts in UTF-8 of 1, 2, 3 and 4 bytes",
        kit.with_fields('"$\u00a2\u20ac\U00010348":"$\u00a2\u20ac\U00010348\u2028\uffff\u007f",'.encode("utf-8")),
    )
    kit.opens(
        "success_surrogate_pair", "an escape in two halves", kit.with_unknown(b'"\\ud83d\\ude00 \\uD83D\\uDE00"')
    )
    kit.opens(
        "success_every_escape",
        "all that JSON has",
        kit.with_unknown(b'"\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000 \\uFFFF"'),
    )
    kit.opens(
        "success_zero_character_in_name",
        "a zero character in an unknown name",
        kit.with_fields(b'"order\\u0000No1":1,'),
    )
    kit.opens("success_empty_name", "an unknown name of no bytes", kit.with_fields(b'"":1,'))
    kit.opens(
        "success_names_in_two_normal_forms",
        "one letter composed and decomposed: two different names",
        kit.with_fields('"\u00e9":1,"e\u0301":2,'.encode("utf-8")),
    )
    kit.opens(
        "success_look_alike_names",
        "Cyrillic and accented letters, a letter more, words of other scripts: no reader folds these to a known name",
        kit.with_fields(
            '"\u043erderNo":1,"\u00f6rderNo":1,"\u00d6rderNo":1,"orderNos":1,"oder":1,"\u59d3\u540d":1,'
            '"\u0418\u043c\u044f":1,"Stra\u00dfe":1,"":1,"_":1,"proto":1,"Constructor":1,'.encode("utf-8")
        ),
    )
    kit.opens(
        "success_almost_known_name_deeper_inside",
        "inside an unknown object no name is known",
        kit.with_unknown(b'{"OrderNo":1,"user_video_string":1}'),
    )
    kit.opens(
        "success_long_numbers",
        "numbers are skipped, whatever their size",
        kit.with_unknown(b"[1e400,-1e-400," + b"9" * 5000 + b",0." + b"1" * 5000 + b"]"),
    )
    kit.opens("success_64_levels", "the document is the first level", kit.with_unknown(deep(63)))
    kit.opens(
        "success_64_levels_in_array", "the document is the first level", kit.with_unknown(b"[" * 63 + b"]" * 63)
    )
    kit.opens("success_4096_names", "in one unknown object", kit.with_unknown(names(4096, 4)))
    kit.opens("success_name_of_1024_bytes", "an unknown name", kit.with_unknown(names(1, 1024)))
    kit.opens(
        "success_name_of_1024_bytes_escaped",
        "counted after unescaping",
        kit.with_fields(b'"' + b"\\u0061" * 1024 + b'":0,'),
    )
    kit.opens(
        "success_names_not_held_together",
        "two objects, each with less than 1 MiB of names",
        kit.with_unknown(b"[%s,%s]" % (names(550, 1000), names(550, 1000))),
    )

    photo = media("photo.jpg")
    encoded = b64(photo)
    kit.case(
        "success_photo_at_top_level",
        "success",
        "photo of a whole result",
        kit.whole_result(outer=b'"userImageString":"%s",' % encoded),
        photo,
        mode="photo",
    )
    kit.case(
        "success_photo_in_payload_object",
        "success",
        "photo inside simpleModeResult",
        kit.whole_result(inner=kit.with_fields(last=b',"userImageString":"%s"' % encoded)[:-1]),
        photo,
        mode="photo",
    )
    kit.case(
        "success_photo_beside_payload",
        "success",
        "photo of a simple-mode object",
        kit.with_fields(b'"userImageString":"%s",' % encoded),
        photo,
        mode="photo",
    )
    kit.case(
        "success_photo_null_in_payload_object",
        "success",
        "null is the same as absent",
        kit.whole_result(b'"userImageString":"%s",' % encoded, kit.with_fields(b'"userImageString":null,')[:-1]),
        photo,
        mode="photo",
    )
    kit.case(
        "success_photo_escaped",
        "success",
        "base64 with \\/",
        kit.with_fields(b'"userImageString":"%s",' % encoded.replace(b"/", b"\\/")),
        photo,
        mode="photo",
    )

    for name, field in [
        ("absent", b""),
        ("null", b'"videoEncryptAESKey":null,'),
        ("empty", b'"videoEncryptAESKey":"",'),
    ]:
        kit.case(
            f"success_plain_key_{name}",
            "success",
            f"plain video, wrapped key {name}",
            plain_payload(field),
            media("clip.mp4"),
            mode="plain",
        )
    kit.case(
        "success_plain_android_key_empty",
        "success",
        "plain video; the wrapped key under Android's name is empty",
        plain_payload(b'"userEncryptKey":"",'),
        media("clip.mp4"),
        mode="plain",
    )
    for name in ["videoEncryptAESKey", "userEncryptKey"]:
        kit.case(
            f"success_plain_beside_{name}",
            "success",
            "a video that begins like one as it stands is not sealed, whatever key is beside it",
            plain_payload(b'"%s":"AAAA",' % name.encode()),
            media("clip.mp4"),
            mode="plain",
        )
    kit.case(
        "success_photo_beside_android_key",
        "success",
        "a wrapped key under Android's name concerns the video alone",
        once(kit.with_fields(b'"userImageString":"%s",' % encoded), b"videoEncryptAESKey", b"userEncryptKey"),
        photo,
        mode="photo",
    )
    kit.case(
        "success_plain_whole_result",
        "success",
        "plain video in a whole result",
        kit.whole_result(inner=plain_payload()[:-1]),
        media("clip.mp4"),
        mode="plain",
    )
