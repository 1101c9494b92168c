package org.flowmon.ingest.meter;

/** Why a flow ended (RFC 5102 section 5.11.3). */
enum FlowEnd {
  IDLE(1),
  ACTIVE(2),
  DETECTED(3),
  FORCED(4),
  NO_ROOM(5);

  private final int code;

  FlowEnd(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
