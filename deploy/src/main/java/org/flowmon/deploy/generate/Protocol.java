package org.flowmon.deploy.generate;

import org.flowmon.flow.SourceKind;

/** What a simulated router exports. */
enum Protocol {
  NETFLOW_V5(SourceKind.NETFLOW_V5),
  NETFLOW_V9(SourceKind.NETFLOW_V9),
  IPFIX(SourceKind.IPFIX),
  SFLOW(SourceKind.SFLOW);

  private final SourceKind version;

  Protocol(SourceKind version) {
    this.version = version;
  }

  SourceKind version() {
    return version;
  }
}
