package org.flowmon.flow;

import java.util.Locale;
import org.flowmon.flow.code.CodeNames;

/** The origin of a flow; the value of column {@link FlowColumn#SOURCE_KIND}. */
public enum SourceKind {
  NETFLOW_V5(1),
  NETFLOW_V9(2),
  IPFIX(3),
  SFLOW(4),
  ZEEK(5),
  CSV(6),
  JSON(7),
  SYNTHETIC(8),
  PARQUET(9),
  /** Flows made of captured packets. */
  PACKETS(10);

  static final CodeNames NAMES = CodeNames.of(values(), SourceKind::code, SourceKind::label);

  private final int code;

  SourceKind(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** The text shown to people, for example {@code netflow_v5}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
