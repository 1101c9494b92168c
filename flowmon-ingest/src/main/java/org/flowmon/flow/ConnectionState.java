package org.flowmon.flow;

/**
 * How a connection ended, in the terms of Zeek's {@code conn_state}; the value of column {@link
 * FlowColumn#STATE}. The codes are stable.
 */
public enum ConnectionState {
  S0(1),
  S1(2),
  SF(3),
  REJ(4),
  S2(5),
  S3(6),
  RSTO(7),
  RSTR(8),
  RSTOS0(9),
  RSTRH(10),
  SH(11),
  SHR(12),
  OTH(13);

  private final int code;

  ConnectionState(int code) {
    this.code = code;
  }

  /** The stable code in batches and segments. */
  public int code() {
    return code;
  }

  /** The state of this name, or null where Zeek knows no such state. */
  public static ConnectionState byName(String name) {
    for (ConnectionState state : values()) {
      if (state.name().equals(name)) {
        return state;
      }
    }
    return null;
  }

  /** The state of this code, or null. */
  public static ConnectionState byCode(long code) {
    for (ConnectionState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    return null;
  }
}
