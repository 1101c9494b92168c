package org.flowmon.ingest.spool;

/** A file of a {@link Spool}, whose monitor guards it, and what of it nobody has read yet. */
final class HeldFile {
  final SpoolFile file;
  final SpoolContents unread;
  final long firstTime;
  long end;
  boolean sealed;

  HeldFile(SpoolFile file, SpoolContents unread, long firstTime, boolean sealed) {
    this.file = file;
    this.unread = unread;
    this.firstTime = firstTime;
    this.end = file.size();
    this.sealed = sealed;
  }
}
