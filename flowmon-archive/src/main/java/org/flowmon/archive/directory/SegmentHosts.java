package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.List;
import org.flowmon.archive.derived.RunSource;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;

/** The addresses of one open segment. Not thread-safe. */
final class SegmentHosts implements RunSource {
  private final HeldFolder held;
  private final SealedSegment sealed;
  private final SegmentReader reader;

  private SegmentHosts(HeldFolder held, SealedSegment sealed, SegmentReader reader) {
    this.held = held;
    this.sealed = sealed;
    this.reader = reader;
  }

  /**
   * Opens a segment, and verifies its columns of addresses. Throws {@link
   * org.flowmon.archive.region.SegmentCorruptException} if it is damaged.
   */
  static SegmentHosts open(ArchiveStore store, String folder, SealedSegment sealed)
      throws IOException {
    HeldFolder held = store.hold(folder + "/" + sealed.fileName(), sealed.segmentFile());
    SegmentReader reader = null;
    boolean done = false;
    try {
      reader = SegmentReader.open(held.folder(), sealed);
      SegmentHosts hosts = new SegmentHosts(held, sealed, reader);
      hosts.inputs(0).forEach(HostMerge.Input::next);
      done = true;
      return hosts;
    } finally {
      if (!done) {
        if (reader != null) {
          reader.release();
        }
        held.close();
      }
    }
  }

  SealedSegment sealed() {
    return sealed;
  }

  /** Addresses of both columns; those in both count twice. */
  @Override
  public long entries() {
    return (long) size(FlowColumn.SRC_ADDR) + size(FlowColumn.DST_ADDR);
  }

  private int size(FlowColumn column) {
    // A present column of addresses always has a dictionary.
    return reader.presence(column) == Presence.ABSENT ? 0 : reader.dictionarySize(column);
  }

  List<HostMerge.Input> inputs(int number) {
    int[] numbers = {number};
    return List.of(
        new HostMerge.Input(new Hosts(FlowColumn.SRC_ADDR, HostRunFormat.SOURCE), numbers),
        new HostMerge.Input(new Hosts(FlowColumn.DST_ADDR, HostRunFormat.DESTINATION), numbers));
  }

  @Override
  public void close() {
    reader.release();
    held.close();
  }

  /** The addresses of one column. */
  private final class Hosts implements HostStream {
    private final FlowColumn column;
    private final int role;
    private final int size;
    private int id = -1;

    Hosts(FlowColumn column, int role) {
      this.column = column;
      this.role = role;
      this.size = size(column);
    }

    @Override
    public boolean next() {
      return ++id < size;
    }

    @Override
    public long high() {
      return reader.dictionaryHigh(column, id);
    }

    @Override
    public long low() {
      return reader.dictionaryLow(column, id);
    }

    @Override
    public int count() {
      return 1;
    }

    @Override
    public int place(int i) {
      return role;
    }
  }
}
