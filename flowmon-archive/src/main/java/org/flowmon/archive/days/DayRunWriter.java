package org.flowmon.archive.days;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.rollup.CellMerge;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFileWriter;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.rollup.RollupMeasures;
import org.flowmon.archive.rollup.WideSumsException;
import org.flowmon.flow.bytes.ByteSink;

/**
 * Writes a run: {@link #column} for each of {@link RollupFormat#DIMENSIONS}, then {@link #finish}.
 * Needs 4 bytes of heap for each entry of an input's dictionary, and one encoded slice. Not
 * thread-safe.
 */
final class DayRunWriter implements AutoCloseable {
  /** The day of a slice that is left out. */
  static final long LEFT_OUT = Long.MIN_VALUE;

  /** Sums to be added up. */
  static final class Input {
    private final AddressSource addresses;
    private final Rollup rollup;
    private final long[] days;

    /** Takes a checked rollup and, not copied, its slices' days or {@link #LEFT_OUT}. */
    Input(AddressSource addresses, Rollup rollup, long[] days) {
      this.addresses = addresses;
      this.rollup = rollup;
      this.days = days;
    }

    Rollup rollup() {
      return rollup;
    }

    int slices() {
      return days.length;
    }

    boolean has(int slice) {
      return days[slice] != LEFT_OUT;
    }

    /** The id in a dictionary of each id's address; none if a wanted one is not in it. */
    Optional<int[]> idsIn(DayDictionary dictionary) {
      int[] ids = new int[addresses.size() + 1];
      BitSet used = used();
      long[] high = new long[1];
      long[] low = new long[1];
      for (int id = used.nextSetBit(0); id >= 0; id = used.nextSetBit(id + 1)) {
        addresses.read(id, 1, high, low);
        ids[id] = dictionary.lowerBound(high[0], low[0]);
        if (ids[id] == dictionary.size()
            || dictionary.high(ids[id]) != high[0]
            || dictionary.low(ids[id]) != low[0]) {
          return Optional.empty();
        }
      }
      ids[addresses.size()] = dictionary.size();
      return Optional.of(ids);
    }

    boolean isEmpty() {
      return Arrays.stream(days).allMatch(day -> day == LEFT_OUT);
    }

    /** The ids in the wanted slices; all if every slice is wanted. */
    BitSet used() {
      BitSet used = new BitSet(addresses.size());
      if (Arrays.stream(days).noneMatch(day -> day == LEFT_OUT)) {
        used.set(0, addresses.size());
        return used;
      }
      CellReader reader = new CellReader();
      int[] ids = new int[RollupFormat.BLOCK];
      for (int s = 0; s < days.length; s++) {
        if (days[s] != LEFT_OUT) {
          reader.open(rollup, s);
          for (int b = 0; b < reader.blocks(); b++) {
            reader.readIds(b, ids);
            for (int i = 0; i < reader.cells(b); i++) {
              used.set(ids[i]);
            }
          }
        }
      }
      used.clear(rollup.nullId());
      return used;
    }
  }

  /** The slice of the output to which cells are added. */
  private record Slice(long day, int outgoing) {
    static final Comparator<Slice> ORDER =
        Comparator.comparingLong(Slice::day).thenComparingInt(Slice::outgoing);
  }

  private final SealedFile file;
  private final Path target;
  private final UUID archive;
  private final ByteSink tables = new ByteSink();

  DayRunWriter(Path target, UUID archive) throws IOException {
    this.target = target;
    this.archive = archive;
    this.file = SealedFile.create(target);
    ByteSink header = new ByteSink();
    DayRunFormat.FRAME.writeHeader(header);
    file.write(header.array(), 0, header.size());
  }

  void column(List<Input> all) throws IOException {
    List<Input> inputs = all.stream().filter(input -> !input.isEmpty()).toList();
    int begin = (int) file.position();
    DictionaryMerge.Written dictionary =
        DictionaryMerge.write(
            inputs.stream()
                .map(input -> new DictionaryMerge.Source(input.addresses, input.used()))
                .toList(),
            file);
    int rollupAt = (int) file.position();
    Set<Measure> wide = new HashSet<>();
    RollupFileWriter.Written rollup = null;
    while (rollup == null) {
      try {
        rollup = sums(inputs, dictionary, wide);
      } catch (WideSumsException e) {
        wide.add(e.measure()); // each measure once
      }
    }
    tables.putInt(dictionary.below);
    tables.putInt(dictionary.ipv4);
    tables.putInt(dictionary.above);
    tables.putInt(begin);
    tables.putInt(dictionary.crc32c);
    tables.putInt(rollupAt);
    tables.putInt((int) rollup.bytes());
    tables.putInt(rollup.sliceCrc32c().size());
    tables.putInt(rollup.headCrc32c());
    rollup.sliceCrc32c().forEach(tables::putInt);
  }

  private RollupFileWriter.Written sums(
      List<Input> inputs, DictionaryMerge.Written dictionary, Set<Measure> wide)
      throws IOException {
    Map<Slice, List<CellMerge.Input>> slices = new TreeMap<>(Slice.ORDER);
    for (int i = 0; i < inputs.size(); i++) {
      Input input = inputs.get(i);
      for (int s = 0; s < input.days.length; s++) {
        if (input.days[s] != LEFT_OUT) {
          slices
              .computeIfAbsent(
                  new Slice(input.days[s], input.rollup.outgoing(s)), k -> new ArrayList<>())
              .add(new CellMerge.Input(input.rollup, s, dictionary.newIds[i]));
        }
      }
    }
    RollupMeasures measures =
        new RollupMeasures(inputs.stream().map(input -> input.rollup).toList(), wide);
    CellMerge merge = new CellMerge(measures);
    Path waiting = target.resolveSibling("." + target.getFileName() + ".slices.tmp");
    try (RollupFileWriter writer = new RollupFileWriter(measures, waiting)) {
      for (Map.Entry<Slice, List<CellMerge.Input>> slice : slices.entrySet()) {
        merge.merge(slice.getValue(), writer::block);
        writer.endSlice(slice.getKey().day(), slice.getKey().outgoing());
      }
      return writer.writeTo(file, dictionary.size());
    }
  }

  /** Ends the run and gives it its name. */
  void finish(List<DayRun.Share> shares) throws IOException {
    for (DayRun.Share share : shares) {
      RunFrame.writeCovered(tables, share.segment());
      tables.write(share.columns());
      tables.putInt(share.days().size());
      share.days().forEach(tables::putLong);
    }
    int bytes = tables.size();
    RunFrame.writeArchive(tables, archive);
    tables.putInt(shares.size());
    tables.putInt(bytes);
    DayRunFormat.FRAME.seal(tables, file);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
