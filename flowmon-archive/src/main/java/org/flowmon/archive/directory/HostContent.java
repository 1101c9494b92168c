package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.derived.RunContent;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.segment.SealedSegment;

/** The content of the host directory's runs. */
final class HostContent extends RunContent<HostRun, SegmentHosts> {
  // Bytes of an address in a run: 16 of its own and the place of its list.
  private static final int ADDRESS_BYTES = 20;

  HostContent(HostDirectory directory, String segmentsFolder, List<SealedSegment> segments) {
    super(directory, segmentsFolder, segments);
  }

  @Override
  protected SegmentHosts openSource(SealedSegment segment) throws IOException {
    return SegmentHosts.open(store(), segmentsFolder(), segment);
  }

  /** A run of more addresses would grow towards 2 GiB. */
  @Override
  protected long mostEntries() {
    return MAX_MERGED_BYTES / ADDRESS_BYTES;
  }

  @Override
  protected Optional<String> problem(HostRun run) {
    HostStream all = run.stream();
    long addresses = 0;
    while (all.next()) {
      addresses++;
    }
    return addresses == run.addresses()
        ? Optional.empty()
        : Optional.of(run.name() + " has " + addresses + " addresses, not " + run.addresses());
  }

  @Override
  protected void write(Path file, List<SegmentHosts> of) throws IOException {
    List<HostMerge.Input> inputs = new ArrayList<>();
    for (SegmentHosts hosts : of) {
      inputs.addAll(hosts.inputs(inputs.size() / 2));
    }
    write(file, inputs, of.stream().map(SegmentHosts::sealed).toList());
  }

  private void write(Path file, List<HostMerge.Input> inputs, List<SealedSegment> of)
      throws IOException {
    try (HostRunWriter writer = new HostRunWriter(file, archive())) {
      HostMerge.merge(inputs, writer);
      writer.finish(of);
    }
  }

  @Override
  protected Optional<HostRun> merge(List<RunCover.Share<HostRun>> parts, Writer<HostRun> writer)
      throws IOException {
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
    return Optional.of(writer.write(file -> write(file, inputs, of)));
  }

  @Override
  protected Optional<String> difference(RunCover.Share<HostRun> share) throws IOException {
    int[] positions = share.positions();
    Optional<String> difference = Optional.empty();
    for (int from = 0; difference.isEmpty() && from < positions.length; from += MOST_SOURCES) {
      int to = Math.min(positions.length, from + MOST_SOURCES);
      difference = difference(share.run(), positions, from, to);
    }
    return difference;
  }

  /** Compares a run with those of its segments whose numbers are in {@code [from, to)}. */
  private Optional<String> difference(HostRun run, int[] positions, int from, int to)
      throws IOException {
    List<SegmentHosts> opened = new ArrayList<>();
    try {
      List<HostMerge.Input> inputs = new ArrayList<>();
      boolean[] mine = new boolean[positions.length];
      for (int number = from; number < to; number++) {
        if (positions[number] >= 0) {
          Optional<SegmentHosts> hosts = openSound(segments().get(positions[number]));
          if (hosts.isPresent()) {
            opened.add(hosts.get());
            mine[number] = true;
            inputs.addAll(hosts.get().inputs(number));
          }
        }
      }
      return HostComparison.of(run, mine, inputs);
    } finally {
      opened.forEach(SegmentHosts::close);
    }
  }
}
