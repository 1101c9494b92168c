package org.flowmon.flow;

import org.flowmon.flow.code.CodeNames;

/** How a connection ended, as in Zeek's {@code conn_state}: column {@link FlowColumn#STATE}. */
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

  static final CodeNames NAMES = CodeNames.of(values(), ConnectionState::code, Enum::name);

  private final int code;

  ConnectionState(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}
