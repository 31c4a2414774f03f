// SPDX-License-Identifier: Apache-2.0
/// A file or folder that a desktop, a server or a program puts beside others, by its name.
package enum SystemFile {
    /// What puts it there, and the pattern of the table that its name has; `nil` for any other name.
    ///
    /// - Parameter isFolder: no program makes a folder of another one's name and an ending of its own; what people
    ///   make of one, and its program, have ?* before them.
    package static func entry(of name: String, isFolder: Bool = false) -> (maker: String, pattern: String)? {
        let lower = Array(name.utf8.map { isUpper($0) ? $0 | 0x20 : $0 })
        for (maker, names) in makers {
            let found = names.first { pattern in
                if isFolder, pattern.hasPrefix("*") { return false }
                return TextPattern(pattern).matches(lower.span, isWhole: true)
            }
            if let found { return (maker, found) }
        }
        return nil
    }

    /// The table, for the page: names in lower case, as ``TextPattern`` has them.
    package static let makers: [(maker: String, names: [String])] = [
        (
            "macOS",
            [
                ".ds_store", "._*", ".appledouble", ".appledb", ".appledesktop", ".localized", ".spotlight-v100",
                ".trashes", ".trash", ".fseventsd", ".temporaryitems", ".volumeicon.icns", ".apdisk", "icon\r",
                "__macosx", "network trash folder", "temporary items", ".documentrevisions-v100", ".com.apple.*",
                ".metadata_never_index", ".metadata_never_index_unless_rootfs", ".pkinstallsandboxmanager*",
                ".file", ".hotfiles.btree", ".vol", ".mobilebackups",
            ]
        ),
        (
            "Windows",
            [
                "desktop.ini", "thumbs.db", "thumbs.db:encryptable", "ehthumbs.db", "ehthumbs_vista.db",
                "folder.jpg.lnk", "$recycle.bin", "recycler", "recycled", "system volume information", "*.lnk",
                "found.#", "autorun.inf", "pagefile.sys", "hiberfil.sys", "swapfile.sys", "ntuser.dat*",
                "*.stackdump",
                "iconcache.db", "*:zone.identifier", "albumart_*.jpg", "wpsettings.dat", "indexervolumeguid",
                "picasa.ini",
                ".picasa.ini",
            ]
        ),
        (
            "Linux",
            [
                ".directory", "lost+found", ".trash-#", ".nfs^", ".fuse_hidden^", ".gvfs", ".hidden",
                ".xdg-volume-info",
                ".cache", ".recently-used", ".thumbnails", ".smbdelete*", ".xvpics", ".sujournal", ".snap",
                ".snapshots",
                ".zfs", ".goutputstream-*", "aquota.user", "aquota.group", "quota.user", "quota.group",
            ]
        ),
        ("LibreOffice", [".\\~lock.*\\#"]),
        (
            "an editor",
            [
                ".*.sw?", "?*\\~", "\\#*\\#", ".\\#*", "?*.bak", "?*.orig", ".netrwhist", ".idea",
                ".vscode", "*.sublime-workspace", ".*.un\\~", "4913", "*.kate-swp", ".ipynb_checkpoints",
            ]
        ),
        (
            "a network drive",
            [
                "\\@eadir", "\\#recycle", ".\\@__thumb", "\\@recycle", "\\@recently-snapshot", ".\\@upload_cache",
                "*\\@synoeastream", "*\\@synoresource", "\\@tmp", ".synologyworkingdirectory",
                ".synothumb", "\\#snapshot", ".qnap*", ".streams", ".wdmc", ".twonkymedia", ".snapshot", "\\~snapshot",
            ]
        ),
        (
            "a program that synchronises folders",
            [
                ".dropbox", ".dropbox.attr", ".dropbox.cache", ".dropbox.device", ".stfolder", ".stignore",
                ".stversions", ".syncthing.*.tmp", "\\~syncthing\\~*.tmp", ".owncloudsync.log", ".sync_*.db*",
                "._sync_*.db*", ".nextcloudsync.log", ".onedrive", ".tmp.drivedownload", ".tmp.driveupload",
                ".849c9593-d756-4e56-8d6e-42412f2a707b", ".sync", ".bzvol", "*.icloud", ".tmp-#-#", ".seafile*",
                ".baidu*", "*.ffs_db", ".\\~tmp\\~", ".rsync-partial", ".rsync-tmp", ".*.??????", ".owncloudsync",
                ".pcloud",
                ".megaignore", ".debris", ".resilio*", "?*.sync-conflict-#-#-*", "?* (conflicted copy*",
                "?*'s conflicted copy*", "?*_conflict-*", "?* (case conflict*", "?*冲突副本*", "?*冲突文件*",
            ]
        ),
        (
            "a file manager",
            [
                "?* copy", "?* copy.*", "?* copy #", "?* copy #.*", "?* - copy", "?* - copy.*", "?* - copy (#)*",
                "copy of *", "?* (#)", "?* (#).*", "?* (copy)*", "?* (another copy)*", "?*副本", "?*副本.*",
                "?* #", "?* #.*", "?*副本 (#)*", "?*副本(#)*", "?*副本 #", "?*副本 #.*", "untitled folder", "untitled folder #",
                "new folder", "new folder (#)", "新建文件夹", "新建文件夹 (#)", "新建文件夹(#)", "未命名文件夹",
                "未命名文件夹 #", "新建*文档.*", "新建*文档 (#).*", "new text document*.txt",
            ]
        ),
        ("a program that packs files", ["?*.zip", "?*.tar", "?*.tar.gz", "?*.tgz", "?*.7z", "?*.rar"]),
        (
            "a backup program",
            [
                "cachedir.tag", ".nobackup", ".nomedia", ".resticignore", ".kopiaignore", ".duplicacy", ".quarantine",
                ".tmb", ".borgignore", ".stglobalignore", ".backupignore",
            ]
        ),
        ("Microsoft Office", ["\\~$*", "\\~wr*.tmp", "\\~*.tmp"]),
        (
            "a download that is not complete",
            [
                "*.crdownload", "*.downloading", "*.part", "*.partial", "*.download", "*.opdownload", "*.!ut",
                "*.aria2", "*.filepart",
            ]
        ),
        (
            "a version control system",
            [
                ".git", ".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".github", ".gitlab-ci.yml",
                ".gitlab", ".gitea", ".mailmap", ".svn", ".hg", ".hgignore", ".hgtags", "cvs", ".cvsignore", ".bzr",
                ".bzrignore", ".jj", "_darcs", ".fslckout", "_fossil_", ".pijul", ".dvc", ".dvcignore",
            ]
        ),
    ]
}
