# SPDX-License-Identifier: Apache-2.0
"""Cases refused on reading: the layers json and payload."""

from __future__ import annotations

from kit import ORDER, ORDER_FIELD, PHOTO, Kit, b64, deep, names, once, plain_payload, sealed_payload


def json_layer(kit: Kit) -> None:
    def refuse(name: str, comment: str, payload: bytes) -> None:
        kit.case(f"json_{name}", "json", comment, payload)

    def unknown(name: str, comment: str, value: bytes) -> None:
        """The fault in an unknown field, which is skipped but must be well-formed."""
        refuse(name, comment, kit.with_unknown(value))

    base = kit.base
    refuse("empty", "no bytes", b"")
    refuse("white_space_only", "no document", b" \n\t\r\n")
    refuse("byte_order_mark", "EF BB BF", b"\xef\xbb\xbf" + base)
    refuse("utf_16", "not UTF-8", base.decode("ascii").encode("utf-16-le"))
    refuse("top_level_array", "the payload in an array", b"[" + base[:-1] + b"]\n")
    refuse("top_level_string", "not an object", b'"text"\n')
    refuse("top_level_number", "not an object", b"1\n")
    refuse("top_level_null", "not an object", b"null\n")

    refuse("trailing_garbage", "a letter after the object", base + b"x\n")
    refuse("trailing_zero_byte", "00 after the object", base + b"\x00")
    refuse("trailing_brace", "one closing brace too many", base + b"}")
    refuse("two_documents", "the payload twice", base + base)
    refuse("second_document_empty", "an empty object after the payload", base + b"{}")
    refuse("leading_garbage", "a comma before the object", b"," + base)
    refuse("form_feed_as_white_space", "0C is not white space", b"\x0c" + base)
    refuse("no_break_space_as_white_space", "U+00A0 is not white space", once(base, b"}", b"\xc2\xa0}"))
    refuse("byte_order_mark_at_end", "U+FEFF is not white space", base + b"\xef\xbb\xbf")
    refuse("trailing_comma_in_object", "after the last field", kit.with_fields(last=b","))
    refuse("leading_comma_in_object", "before the first field", kit.with_fields(first=b","))
    refuse("two_commas", "between two fields", once(base, b',"videoEncryptAESKey"', b',,"videoEncryptAESKey"'))
    refuse("comma_missing", "between two fields", once(base, b',"videoEncryptAESKey"', b' "videoEncryptAESKey"'))
    refuse("colon_missing", "between name and value", once(base, b'"orderNo":', b'"orderNo" '))
    refuse("name_without_quotes", "as in JavaScript", once(base, b'"orderNo"', b"orderNo"))
    refuse("name_is_number", "1 in place of a name", kit.with_fields(b"1:2,"))
    refuse("value_missing", "a name without a value", kit.with_fields(last=b',"extra"'))
    refuse("single_quotes", "as in JavaScript", base.replace(b'"', b"'"))
    refuse("comment_block", "as in JavaScript", kit.with_fields(b"/* comment */"))
    refuse("comment_line", "as in JavaScript", kit.with_fields(b"// comment\n"))
    refuse("comment_at_end", "after the object", base + b"// comment\n")
    unknown("trailing_comma_in_array", "after the last item", b"[1,]")
    unknown("comma_missing_in_array", "between two items", b"[1 2]")
    unknown("wrong_bracket", "an array closed as an object", b"[1}")
    unknown("value_unquoted", "a word that is no value", b"text")
    unknown("value_undefined", "as in JavaScript", b"undefined")
    unknown("true_upper_case", "as in Python", b"True")
    unknown("null_cut_short", "nul", b"nul")
    unknown("true_too_long", "truee", b"truee")

    for name, number in [
        ("leading_zero", b"01"),
        ("negative_leading_zero", b"-01"),
        ("plus", b"+1"),
        ("no_digit_before_point", b".5"),
        ("no_digit_after_point", b"1."),
        ("no_digit_in_exponent", b"1e"),
        ("no_digit_in_signed_exponent", b"1e+"),
        ("minus_alone", b"-"),
        ("hexadecimal", b"0x10"),
        ("two_points", b"1.2.3"),
        ("underscore", b"1_000"),
        ("nan", b"NaN"),
        ("infinity", b"Infinity"),
        ("minus_infinity", b"-Infinity"),
        ("arabic_digit", b"1\xd9\xa1"),
    ]:
        unknown(
            f"number_{name}", "not a JSON number" + (f": {number.decode()}" if number.isascii() else ""), number
        )

    for name, text in [
        ("overlong_2_bytes", b"\xc0\xaf"),
        ("overlong_3_bytes", b"\xe0\x80\xaf"),
        ("overlong_4_bytes", b"\xf0\x80\x80\xaf"),
        ("overlong_zero", b"\xc0\x80"),
        ("surrogate", b"\xed\xa0\x80"),
        ("surrogate_pair", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("beyond_10ffff", b"\xf4\x90\x80\x80"),
        ("truncated_2_bytes", b"\xc3"),
        ("truncated_3_bytes", b"\xe2\x82"),
        ("truncated_4_bytes", b"\xf0\x9f\x98"),
        ("lone_continuation", b"\x80"),
        ("byte_ff", b"\xff"),
        ("five_bytes", b"\xf8\x88\x80\x80\x80"),
    ]:
        unknown(f"utf8_{name}", "invalid UTF-8 in an unknown field: " + text.hex(), b'"' + text + b'"')
    refuse("utf8_in_name", "invalid UTF-8 in an unknown name", kit.with_fields(b'"a\xc0\xaf":1,'))
    refuse("utf8_in_video", "invalid UTF-8 in a known field", kit.with_video(b'"\xff' + b64(kit.sealed) + b'"'))
    refuse("utf8_after_object", "invalid UTF-8 after the object", base + b"\xff")

    for name, text in [
        ("high_alone", b"\\ud83d"),
        ("low_alone", b"\\ude00"),
        ("high_then_letter", b"\\ud83dx"),
        ("high_then_other_escape", b"\\ud83d\\n"),
        ("high_then_unicode_escape", b"\\ud83d\\u0041"),
        ("high_twice", b"\\ud83d\\ud83d"),
        ("low_then_high", b"\\ude00\\ud83d"),
        ("low_after_pair", b"\\ud83d\\ude00\\ude00"),
    ]:
        unknown(f"surrogate_{name}", "lone surrogate escape in an unknown field", b'"' + text + b'"')
    refuse("surrogate_in_name", "lone surrogate escape in an unknown name", kit.with_fields(b'"a\\ud83d":1,'))
    refuse("surrogate_in_order", "lone surrogate escape in a known field", kit.with_order(b'"order\\ud83d"'))

    for name, text in [
        ("letter", b"\\x41"),
        ("upper_case_u", b"\\U0041"),
        ("apostrophe", b"\\'"),
        ("zero", b"\\0"),
        ("line_feed", b"\\\n"),
        ("three_digits", b"\\u041"),
        ("not_hexadecimal", b"\\u00g1"),
        ("sign_in_digits", b"\\u+041"),
        ("underscore_in_digits", b"\\u0_41"),
        ("braces", b"\\u{41}"),
    ]:
        unknown(f"escape_{name}", "no such escape", b'"' + text + b'"')
    refuse("escape_in_video", "no such escape, in a known field", kit.with_video(b'"\\A' + b64(kit.sealed) + b'"'))
    for name, byte in [("line_feed", b"\n"), ("tab", b"\t"), ("zero", b"\x00"), ("unit_separator", b"\x1f")]:
        unknown(f"control_{name}", f"byte {byte.hex()} inside a string", b'"a' + byte + b'b"')
    refuse("control_in_video", "a line feed inside the video", kit.with_video(b'"\n' + b64(kit.sealed) + b'"'))
    refuse("control_in_name", "a line feed inside an unknown name", kit.with_fields(b'"a\nb":1,'))

    video = b'"userVideoString":"' + b64(kit.sealed) + b'"'
    refuse("duplicate_video", "one name twice, both values alike", kit.with_fields(last=b"," + video))
    refuse("duplicate_order", "one name twice, both values alike", kit.with_fields(last=b"," + ORDER_FIELD))
    refuse("duplicate_video_null", "once null, once a string", kit.with_fields(b'"userVideoString":null,'))
    refuse(
        "duplicate_by_escape", "alike after unescaping", kit.with_fields(b'"order\\u004eo":"%s",' % ORDER.encode())
    )
    refuse(
        "duplicate_simple_mode_result",
        "first null, then an object",
        kit.whole_result(outer=b'"simpleModeResult":null,'),
    )
    refuse("duplicate_unknown", "an unknown name twice", kit.with_fields(b'"a":1,', b',"a":1'))
    refuse("duplicate_unknown_by_escape", "alike after unescaping", kit.with_fields(b'"a":1,"\\u0061":1,'))
    refuse(
        "duplicate_unknown_by_surrogate_pair",
        "one letter in UTF-8 and as an escape in two halves",
        kit.with_fields('"\U0001f600":1,"\\ud83d\\ude00":1,'.encode("utf-8")),
    )
    refuse("duplicate_empty_name", "the name of no bytes twice", kit.with_fields(b'"":1,"":2,'))
    unknown("duplicate_nested", "inside an unknown object", b'{"a":1,"a":1}')
    unknown("duplicate_nested_in_array", "inside an unknown array", b'[[{"a":1,"b":{"c":1,"c":2}}]]')
    refuse(
        "duplicate_in_payload_object",
        "an unknown name twice inside simpleModeResult",
        kit.whole_result(inner=kit.with_fields(b'"a":1,"a":1,')[:-1]),
    )

    unknown("65_levels", "one more than allowed", deep(64))
    unknown("65_levels_in_array", "one more than allowed", b"[" * 64 + b"]" * 64)
    unknown("100000_levels", "many more than allowed", b"[" * 100000 + b"]" * 100000)
    unknown("4097_names", "one more than allowed", names(4097, 4))
    unknown("name_of_1025_bytes", "one more than allowed", names(1, 1025))
    unknown("names_held_together", "one object with more than 1 MiB of names", names(1100, 1000))
    unknown(
        "names_held_by_nested_objects",
        "two objects, one inside the other, with more than 1 MiB of names together",
        names(550, 1000)[:-1] + b',"inner":' + names(550, 1000) + b"}",
    )
    refuse("order_over_bound", "4,097 characters", kit.with_order(b'"' + b"1" * 4097 + b'"'))
    refuse("wrapped_key_over_bound", "4,100 characters of base64", kit.with_key(b'"' + b64(bytes(3075)) + b'"'))

    whole = base[:-1]
    place = whole.index(b64(kit.sealed))
    refuse("truncated_in_first_name", "ends inside a name", whole[:5])
    refuse("truncated_after_first_name", "ends before the colon", whole[:9])
    refuse("truncated_after_comma", "ends where a name must come", whole[: whole.index(b",") + 1])
    refuse("truncated_in_video", "ends inside the video, at a multiple of four letters", whole[: place + 8])
    refuse("truncated_before_last_brace", "ends after the video", whole[:-1])
    refuse("truncated_in_last_quote", "ends before the last quotation mark", whole[:-2])
    refuse("truncated_after_backslash", "ends inside an escape", whole[:place] + b"\\")
    refuse("truncated_in_unicode_escape", "ends inside an escape", whole[:place] + b"\\u00")
    refuse(
        "truncated_after_payload_object", "ends before the last brace of a whole result", kit.whole_result()[:-2]
    )
    refuse("truncated_in_unknown", "ends inside an unknown field", kit.with_fields(last=b',"extra":[1')[:-2])
    kit.case(
        "json_truncated_everywhere",
        "json",
        "cut before every one of its bytes but the line feed",
        sealed_payload("truncate", b"short", "rsa2048.pem"),
        key="rsa2048.pem",
        derive="truncate-everywhere",
    )
    kit.case(
        "json_truncated_everywhere_whole_result",
        "json",
        "cut before every one of its bytes but the line feed",
        kit.whole_result(b'"extra":[{"a":-1.5e3},"\\u00e9",null],"orderNo":null,'),
        derive="truncate-everywhere",
    )


def payload_layer(kit: Kit) -> None:
    def refuse(name: str, comment: str, payload: bytes, mode: str = "sealed") -> None:
        kit.case(f"payload_{name}", "payload", comment, payload, mode=mode)

    key, video = b64(kit.wrapped), b64(kit.sealed)
    refuse("empty_object", "no field at all", b"{}\n")
    refuse("video_absent", "no video", once(kit.base, b',"userVideoString":"%s"' % video, b""))
    refuse("video_null", "null is the same as absent", kit.with_video(b"null"))
    refuse(
        "video_only_in_unknown_object",
        "a known name inside an unknown field means nothing",
        b'{"extra":' + kit.base[:-1] + b',"orderNo":"%s"}\n' % ORDER.encode(),
    )
    refuse(
        "video_by_look_alike_name",
        "full-width letter: an unknown field",
        once(kit.base, b"userVideoString", "\uff55serVideoString".encode("utf-8")),
    )
    refuse(
        "video_name_in_lower_case",
        "names are compared byte for byte",
        once(kit.base, b"userVideoString", b"uservideostring"),
    )
    for kind, value in [("number", b"1"), ("true", b"true"), ("array", b'["%s"]' % video), ("object", b"{}")]:
        refuse(f"video_is_{kind}", "a string is needed", kit.with_video(value))
    refuse("wrapped_key_is_number", "a string is needed", kit.with_key(b"1"))
    refuse("wrapped_key_is_false", "a string is needed", kit.with_key(b"false"))
    refuse("order_is_number", "a string is needed", kit.with_order(b"20250001"))
    refuse("enclosing_order_is_number", "a string is needed", kit.whole_result(outer=b'"orderNo":20250001,'))
    refuse("identify_str_is_number", "a string is needed", kit.with_fields(b'"identifyStr":1,'))
    refuse("encrypt_aes_key_is_object", "a string is needed", kit.with_fields(b'"encryptAESKey":{},'))
    refuse("photo_is_number", "a string is needed", kit.with_fields(b'"userImageString":1,'))

    # Names that another common reader would take for a known one (§1.1); 1 is a value that no known field has.
    for place, spelled in {
        "upper_case_letter": "OrderNo",
        "lower_case": "simplemoderesult",
        "underscores": "user_video_string",
        "hyphens": "user-image-string",
        "leading_blank": " identifyStr",
        "no_break_space": "identify\u00a0Str",
        "zero_width_space": "order\u200bNo",
        "tab": "order\\tNo",
        "zero_character_at_end": "orderNo\\u0000",
        "zero_character_and_more": "orderNo\\u0000x",
        "zero_character_and_case": "ORDERNO\\u0000x",
        "long_s": "identify\u017ftr",
        "long_s_escaped": "u\\u017ferVideoString",
        "kelvin_sign": "encryptAES\u212aey",
        "dotted_capital_i": "\u0130dentifyStr",
        "dotless_i": "\u0131dentifyStr",
        "android_key_in_lower_case": "userencryptkey",
        "dot": "order.No",
        "dollar_sign": "$orderNo",
        "brackets": "orderNo[]",
        "full_width_letter": "\uff4frderNo",
        "full_width": "\uff4f\uff52\uff44\uff45\uff52\uff2e\uff4f",
        "ordinal_indicator": "orderN\u00ba",
        "circled_letter": "\u24deRDERNO",
        "long_s_twice": "u\u017ferVideo\u017ftring",
        "mathematical_letter": "\U0001d428rderNo",
        "en_dash": "order\u2013No",
        "combining_mark": "orderNo\u0308",
        "proto": "__proto__",
        "constructor": "constructor",
        "prototype": "prototype",
        "ref": "$ref",
        "type": "@type",
    }.items():
        refuse(
            f"almost_known_{place}", "an unknown name that is loosely a known one", kit.with_fields(f'"{spelled}":1,'.encode())
        )
        if "zero" not in place and "escaped" not in place:
            refuse(
                f"almost_known_{place}_null",
                "the same with the value null",
                kit.with_fields(f'"{spelled}":null,'.encode()),
            )
    almost = kit.with_fields(b'"Order_No":1,')
    refuse("almost_known_in_payload_object", "inside simpleModeResult", kit.whole_result(inner=almost[:-1]))
    refuse("almost_known_beside_payload_object", "beside simpleModeResult", kit.whole_result(outer=b'"Order_No":1,'))
    refuse("almost_known_for_plain_video", "a plain video", plain_payload(b'"UserVideoString":"",'), "plain")
    refuse("almost_known_for_photo", "a photo", kit.with_fields(b'"userImageString":"AAAA","user_image_string":"",'), "photo")
    refuse(
        "wrapped_key_under_two_names",
        "the vendor's and Android's in one object",
        kit.with_fields(b'"userEncryptKey":"AAAA",'),
    )

    inside = kit.base[:-1]
    refuse(
        "simple_mode_result_string",
        "JSON inside a string",
        b'{"simpleModeResult":"' + inside.replace(b'"', b'\\"') + b'"}\n',
    )
    refuse("simple_mode_result_array", "an object is needed", b'{"simpleModeResult":[' + inside + b"]}\n")
    refuse("simple_mode_result_false", "an object is needed", kit.with_fields(b'"simpleModeResult":false,'))
    refuse(
        "simple_mode_result_empty", "no video in it", b'{"simpleModeResult":{},"orderNo":"%s"}\n' % ORDER.encode()
    )
    refuse(
        "two_candidates_video",
        "a video beside the payload object",
        kit.whole_result(outer=b'"userVideoString":"%s",' % video),
    )
    refuse(
        "two_candidates_video_after",
        "a video behind the payload object",
        b'{"simpleModeResult":' + inside + b',"userVideoString":"%s"}\n' % video,
    )
    refuse(
        "two_candidates_wrapped_key",
        "a wrapped key beside the payload object",
        kit.whole_result(outer=b'"videoEncryptAESKey":"%s",' % key),
    )
    refuse(
        "two_candidates_identify_str",
        "an identifyStr beside the payload object",
        kit.whole_result(outer=b'"identifyStr":"%s",' % video),
    )
    refuse(
        "two_candidates_encrypt_aes_key",
        "an encryptAESKey beside the payload object",
        kit.whole_result(outer=b'"encryptAESKey":"%s",' % key),
    )
    refuse(
        "two_candidates_android_key",
        "a wrapped key under Android's name beside the payload object",
        kit.whole_result(outer=b'"userEncryptKey":"%s",' % key),
    )
    refuse(
        "two_candidates_android_key_after",
        "any text under Android's name behind the payload object",
        b'{"simpleModeResult":' + inside + b',"userEncryptKey":"QUFB"}\n',
    )
    refuse(
        "video_outside_empty_payload_object",
        "everything beside an empty payload object",
        kit.with_fields(b'"simpleModeResult":{},'),
    )

    refuse("order_absent", "no order number", kit.without_order())
    refuse("order_null", "null is the same as absent", kit.with_order(b"null"))
    refuse(
        "order_absent_in_both", "no order number in a whole result", kit.whole_result(b"", kit.without_order()[:-1])
    )
    for name, text in [
        ("empty", '""'),
        ("of_33_characters", '"%s"' % ("1" * 33)),
        ("of_4096_characters", '"%s"' % ("1" * 4096)),
        ("with_hyphen", '"order-1"'),
        ("with_underscore", '"order_1"'),
        ("with_space", '"order 1"'),
        ("with_trailing_space", '"order1 "'),
        ("with_trailing_line_feed", '"order1\\n"'),
        ("with_line_feed", '"order\\n1"'),
        ("with_zero_character", '"order1\\u0000"'),
        ("with_accent", '"\u00f6rder1"'),
        ("with_full_width_digit", '"order\uff11"'),
        ("with_arabic_digit", '"order\u0661"'),
        ("with_combining_mark", '"order1\u0301"'),
        ("with_emoji", '"order\U0001f600"'),
    ]:
        refuse(f"order_{name}", "1 to 32 ASCII letters or digits", kit.with_order(text.encode("utf-8")))
    refuse(
        "orders_unequal",
        "another order number around the payload object",
        kit.whole_result(outer=b'"orderNo":"other1",'),
    )
    refuse(
        "orders_unequal_in_case",
        "equal but for one letter's case",
        kit.whole_result(outer=b'"orderNo":"%s",' % ORDER.capitalize().encode()),
    )
    refuse(
        "orders_unequal_outer_empty",
        "an empty order number is not an absent one",
        kit.whole_result(outer=b'"orderNo":"",'),
    )
    refuse(
        "orders_unequal_inner_empty",
        "an empty order number is not an absent one",
        kit.whole_result(inner=kit.with_order(b'""')[:-1]),
    )

    for name, field in [
        ("absent", b""),
        ("null", b'"videoEncryptAESKey":null,'),
        ("empty", b'"videoEncryptAESKey":"",'),
    ]:
        refuse(f"stripped_key_{name}", "plain video where a private key was given", plain_payload(field))
        sealed_but_stripped = once(kit.base, b'"videoEncryptAESKey":"%s",' % key, field)
        refuse(
            f"stripped_key_{name}_sealed_video", "the wrapped key taken from a sealed video", sealed_but_stripped
        )
    refuse(
        "stripped_key_in_enclosing_result",
        "as above, in a whole result",
        kit.whole_result(inner=plain_payload()[:-1]),
    )
    refuse(
        "stripped_key_by_kelvin_sign",
        "U+212A in place of K: an unknown field, so the video counts as plain",
        once(kit.base, b"videoEncryptAESKey", "videoEncryptAES\u212aey".encode("utf-8")),
    )
    refuse("sealed_in_plain_mode", "plain video was asked for by name", kit.base, "plain")
    refuse("sealed_in_plain_mode_whole_result", "plain video was asked for by name", kit.whole_result(), "plain")
    refuse("plain_without_video", "no video", b'{"orderNo":"%s"}\n' % ORDER.encode(), "plain")
    refuse(
        "plain_video_is_number",
        "a string is needed",
        b'{"orderNo":"%s","userVideoString":1}\n' % ORDER.encode(),
        "plain",
    )

    photo = b'"userImageString":"%s",' % b64(PHOTO)
    both = kit.whole_result(photo, kit.with_fields(photo)[:-1])
    refuse("photo_in_both", "in both objects, alike", both, "photo")
    refuse("photo_in_both_for_the_video", "in both objects; it is the video that is asked for", both)
    refuse("photo_absent", "no photo", kit.base, "photo")
    refuse("photo_empty", "an empty string is no photo", kit.with_fields(b'"userImageString":"",'), "photo")
    refuse(
        "photo_with_malformed_order",
        "an order number that is there must have its form",
        b'{"orderNo":"order 1",%s}\n' % photo[:-1],
        "photo",
    )
    refuse(
        "plain_with_android_key",
        "a wrapped key under Android's name, and a text that is no video: it is sealed",
        plain_payload(b'"userEncryptKey":"AAAA",', b64(bytes(3_000))),
        "plain",
    )
    refuse(
        "android_key_beside_empty_one",
        "an empty text under the vendor's name is a second one",
        once(kit.base, b'"videoEncryptAESKey":"', b'"videoEncryptAESKey":"","userEncryptKey":"'),
    )
    refuse("android_key_number", "a wrapped key is text", kit.base.replace(b'"orderNo"', b'"userEncryptKey":1,"orderNo"', 1))
    refuse("plain_with_android_key_array", "a wrapped key is text", plain_payload(b'"userEncryptKey":["AAAA"],'), "plain")
    refuse("plain_video_empty", "an empty string is no video", plain_payload(video=b""), "plain")
    refuse("photo_null", "null is the same as absent", kit.with_fields(b'"userImageString":null,'), "photo")
    refuse("photo_asked_for_is_number", "a string is needed", kit.with_fields(b'"userImageString":1,'), "photo")
    refuse(
        "photo_only_in_unknown_object",
        "a known name inside an unknown field means nothing",
        kit.with_unknown(b"{" + photo[:-1] + b"}"),
        "photo",
    )
