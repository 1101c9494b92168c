package org.flowmon.ingest.decode.record;

/** A domain's names by options data: those of applications, VRFs and interfaces. */
public final class ExporterNames {
  private final Names applications = new Names();
  private final Names vrfs = new Names();
  private final Names interfaces = new Names();
  private final Names descriptions = new Names();

  /** By {@link RecordBlock#applicationKey}. */
  public Names applications() {
    return applications;
  }

  public Names vrfs() {
    return vrfs;
  }

  /** By the interface's index. */
  public Names interfaces() {
    return interfaces;
  }

  /** Of interfaces, by their index. */
  public Names descriptions() {
    return descriptions;
  }

  public boolean isEmpty() {
    return applications.isEmpty()
        && vrfs.isEmpty()
        && interfaces.isEmpty()
        && descriptions.isEmpty();
  }
}
