package org.flowmon.ingest.file.zeek;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of Zeek's connection log that flows are made of. */
enum ZeekField {
  TS(Kind.TIME, "ts"),
  UID(Kind.TEXT, "uid"),
  ORIG_H(Kind.ADDRESS, "id.orig_h src src_ip src_addr"),
  ORIG_P(Kind.PORT, "id.orig_p src_port"),
  RESP_H(Kind.ADDRESS, "id.resp_h dst dst_ip dst_addr"),
  RESP_P(Kind.PORT, "id.resp_p dst_port"),
  PROTO(Kind.PROTOCOL_NAME, "proto"),
  IP_PROTO(Kind.UINT8, "ip_proto"),
  SERVICE(Kind.TEXT, "service"),
  DURATION(Kind.INTERVAL, "duration"),
  ORIG_BYTES(Kind.COUNT, "orig_bytes"),
  RESP_BYTES(Kind.COUNT, "resp_bytes"),
  CONN_STATE(Kind.STATE, "conn_state"),
  LOCAL_ORIG(Kind.BOOLEAN, "local_orig"),
  HISTORY(Kind.TEXT, "history"),
  ORIG_PKTS(Kind.COUNT, "orig_pkts"),
  ORIG_IP_BYTES(Kind.COUNT, "orig_ip_bytes"),
  RESP_PKTS(Kind.COUNT, "resp_pkts"),
  RESP_IP_BYTES(Kind.COUNT, "resp_ip_bytes"),
  VLAN(Kind.UINT16, "vlan");

  /** The form of a field's text. */
  enum Kind {
    TIME,
    INTERVAL,
    ADDRESS,
    PORT,
    COUNT,
    UINT8,
    UINT16,
    BOOLEAN,
    TEXT,
    PROTOCOL_NAME,
    STATE
  }

  /** A log with none of these is no connection log. */
  static final List<ZeekField> OF_CONNECTIONS =
      List.of(
          CONN_STATE,
          DURATION,
          ORIG_BYTES,
          RESP_BYTES,
          ORIG_PKTS,
          RESP_PKTS,
          ORIG_IP_BYTES,
          RESP_IP_BYTES);

  private static final Map<String, ZeekField> BY_NAME = new HashMap<>();

  static {
    for (ZeekField field : values()) {
      for (String name : field.names.split(" ", -1)) {
        BY_NAME.put(name, field);
      }
    }
  }

  private final Kind kind;

  /** The first is Zeek's own; others occur. */
  private final String names;

  private final String zeekName;

  ZeekField(Kind kind, String names) {
    this.kind = kind;
    this.names = names;
    this.zeekName = names.indexOf(' ') < 0 ? names : names.substring(0, names.indexOf(' '));
  }

  Kind kind() {
    return kind;
  }

  String zeekName() {
    return zeekName;
  }

  int bit() {
    return 1 << ordinal();
  }

  /** Null without; known are configured dots after {@code id} and other names that occur. */
  static @Nullable ZeekField byName(String name) {
    ZeekField field = BY_NAME.get(name);
    if (field == null
        && name.length() > 3
        && name.startsWith("id")
        && !Character.isLetterOrDigit(name.charAt(2))) {
      field = BY_NAME.get("id." + name.substring(3));
    }
    return field;
  }
}
