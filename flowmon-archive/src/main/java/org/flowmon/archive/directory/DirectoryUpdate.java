package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the host directory's files up to a snapshot. Not thread-safe. */
public final class DirectoryUpdate extends RunUpdate<HostRun> {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryUpdate.class);
  // Segments that are open at the same time.
  private static final int SEGMENTS_AT_ONCE = 64;
  // Bytes of an address in a run: 16 of its own and the place of its list.
  private static final int ADDRESS_BYTES = 20;

  private final String segmentsFolder;

  private DirectoryUpdate(
      HostDirectory directory,
      String segmentsFolder,
      List<SealedSegment> segments,
      BooleanSupplier stop) {
    super(directory, segments, stop);
    this.segmentsFolder = segmentsFolder;
  }

  /**
   * Updates a directory.
   *
   * @param segments of the newest snapshot, held until this returns
   * @param verify whether every byte of every run is checked first
   * @param stop asked before each file: if it is true the rest is left to the next update
   * @throws IOException if files cannot be written; files already written stay
   */
  public static Done run(
      HostDirectory directory,
      String segmentsFolder,
      List<SealedSegment> segments,
      boolean verify,
      BooleanSupplier stop)
      throws IOException {
    return new DirectoryUpdate(directory, segmentsFolder, segments, stop).run(verify);
  }

  @Override
  protected String problem(HostRun run) {
    HostStream all = run.stream();
    long addresses = 0;
    while (all.next()) {
      addresses++;
    }
    return addresses == run.addresses()
        ? null
        : run.name() + " has " + addresses + " addresses, not " + run.addresses();
  }

  @Override
  protected int cover(BitSet wanted, int from, List<SealedSegment> taken, List<HostRun> runs)
      throws IOException {
    List<SegmentReader> readers = new ArrayList<>();
    List<HeldFolder> files = new ArrayList<>();
    int next = from;
    try {
      long addresses = 0;
      for (; next >= 0 && !isFull(readers.size(), addresses); next = wanted.nextSetBit(next + 1)) {
        if (open(segments().get(next), readers, files)) {
          taken.add(segments().get(next));
          addresses += addresses(readers.get(readers.size() - 1));
        }
      }
      if (!taken.isEmpty()) {
        runs.add(write(inputs(readers), taken));
      }
    } finally {
      readers.forEach(SegmentReader::release);
      files.forEach(HeldFolder::close);
    }
    return next;
  }

  /** Whether a run of so many segments takes no more: it would grow towards 2 GiB. */
  static boolean isFull(int segments, long addresses) {
    return segments >= SEGMENTS_AT_ONCE || addresses >= MAX_MERGED_BYTES / ADDRESS_BYTES;
  }

  /** Addresses of both columns; those in both count twice. */
  private static long addresses(SegmentReader reader) {
    long addresses = 0;
    for (FlowColumn column : List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR)) {
      if (reader.presence(column) != Presence.ABSENT) {
        addresses += reader.dictionarySize(column);
      }
    }
    return addresses;
  }

  private boolean open(SealedSegment segment, List<SegmentReader> readers, List<HeldFolder> files) {
    SegmentReader reader = null;
    try {
      HeldFolder held =
          store().hold(segmentsFolder + "/" + segment.fileName(), segment.segmentFile());
      files.add(held);
      reader = SegmentReader.open(held.folder(), segment);
      // Both columns are verified here, so that damage is attributed to this segment.
      for (HostMerge.Input input : inputs(List.of(reader))) {
        input.stream().next();
      }
      readers.add(reader);
      return true;
    } catch (IOException | SegmentCorruptException | IllegalArgumentException e) {
      LOG.warn("segment {} is not in the host directory: {}", segment.id(), e.toString());
      if (reader != null) {
        reader.release();
      }
      return false;
    }
  }

  private static List<HostMerge.Input> inputs(List<SegmentReader> readers) {
    List<HostMerge.Input> inputs = new ArrayList<>();
    int number = 0;
    for (SegmentReader reader : readers) {
      inputs.addAll(inputs(reader, number++));
    }
    return inputs;
  }

  /** The addresses of a segment with this number in a run. */
  static List<HostMerge.Input> inputs(SegmentReader reader, int number) {
    int[] numbers = {number};
    return List.of(
        new HostMerge.Input(
            new DictionaryHosts(reader, FlowColumn.SRC_ADDR, HostRunFormat.SOURCE), numbers),
        new HostMerge.Input(
            new DictionaryHosts(reader, FlowColumn.DST_ADDR, HostRunFormat.DESTINATION), numbers));
  }

  private HostRun write(List<HostMerge.Input> inputs, List<SealedSegment> of) throws IOException {
    return write(
        file -> {
          try (HostRunWriter writer = new HostRunWriter(file, archive())) {
            HostMerge.merge(inputs, writer);
            writer.finish(of);
          }
        });
  }

  @Override
  protected HostRun merge(List<RunCover.Share<HostRun>> parts) throws IOException {
    List<SealedSegment> of = new ArrayList<>();
    List<HostMerge.Input> inputs = new ArrayList<>();
    for (RunCover.Share<HostRun> part : parts) {
      int[] numbers = new int[part.positions().length];
      Arrays.fill(numbers, -1);
      for (int s = 0; s < numbers.length; s++) {
        if (part.positions()[s] >= 0) {
          numbers[s] = of.size();
          of.add(segments().get(part.positions()[s]));
        }
      }
      inputs.add(new HostMerge.Input(part.run().stream(), numbers));
    }
    return write(inputs, of);
  }
}
