package org.flowmon.ingest.decode.record;

/** A domain's names by options data: those of applications and of VRFs. */
public final class ExporterNames {
  private final Names applications = new Names();
  private final Names vrfs = new Names();

  /** By {@link RecordBlock#applicationKey}. */
  public Names applications() {
    return applications;
  }

  public Names vrfs() {
    return vrfs;
  }

  public boolean isEmpty() {
    return applications.isEmpty() && vrfs.isEmpty();
  }
}
