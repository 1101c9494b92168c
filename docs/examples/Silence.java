import static org.flowmon.flow.FlowColumn.SRC_ADDR;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.BlockSource;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.block.TimeMerge;
import org.flowmon.flow.IpAddress;

/** The ten sources that were silent the longest between two flows, over some archives as one. */
public class Silence {
  public static void main(String[] directories) throws Exception {
    if (directories.length == 0) {
      System.err.println("usage: ./flowmon run docs/examples/Silence.java ARCHIVE_DIRECTORY...");
      System.exit(2);
    }
    Map<IpAddress, long[]> seen = new HashMap<>(); // last seen, longest silence so far
    Deque<AutoCloseable> open = new ArrayDeque<>();
    List<BlockSource> scans = new ArrayList<>();
    for (String directory : directories) {
      Archive archive = Archive.open(Path.of(directory));
      open.push(archive);
      ArchiveSnapshot snapshot = archive.snapshot();
      open.push(snapshot);
      scans.add(FlowScan.of(snapshot).columns(SRC_ADDR).where("src_addr IS NOT NULL").inTimeOrder().threads(2).open());
    }
    try (TimeMerge flows = TimeMerge.of(scans)) {
      for (FlowBlock block = flows.next(); block != null; block = flows.next()) {
        for (int row = 0; row < block.rows(); row++) {
          long time = block.time(row);
          long[] source = seen.computeIfAbsent(block.address(SRC_ADDR, row), s -> new long[] {time, 0});
          source[1] = Math.max(source[1], time - source[0]);
          source[0] = time;
        }
      }
    }
    for (AutoCloseable each : open) {
      each.close();
    }
    Comparator<Map.Entry<IpAddress, long[]>> bySilence = Comparator.comparingLong(source -> -source.getValue()[1]);
    seen.entrySet().stream().sorted(bySilence.thenComparing(Map.Entry.comparingByKey())).limit(10)
        .forEach(source -> System.out.println(source.getKey() + " " + Duration.ofMillis(source.getValue()[1] / 1000)));
  }
}
