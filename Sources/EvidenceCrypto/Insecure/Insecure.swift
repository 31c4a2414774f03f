/// What others still use and new things must not: here only so that their payloads can be opened and made.
///
/// - ``AESCBC`` and ``AESECB`` have no tag: nothing proves that the content was not altered.
/// - ``PKCS1v15`` wrapping lets whoever can see *how* unwrapping failed open keys one query at a time (Bleichenbacher
///   1998).
public enum Insecure {}
