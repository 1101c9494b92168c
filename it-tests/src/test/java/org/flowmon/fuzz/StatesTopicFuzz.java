package org.flowmon.fuzz;

import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateFormatException;

/** Messages of the topic of states; what opens is written again as the same bytes. */
final class StatesTopicFuzz implements FuzzTarget {
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;

  @Override
  public String name() {
    return "states-topic";
  }

  @Override
  public String about() {
    return "messages by which sites publish states, their checksum made right";
  }

  @Override
  public List<byte[]> seeds() {
    Publication publication =
        new Publication(
            "elephants",
            "SELECT src_addr, SUM(bytes) FROM flows GROUP BY src_addr",
            60_000_000L,
            5_000_000L,
            FlowColumn.END_TIME,
            false);
    long end = FuzzFlows.START - FuzzFlows.START % 60_000_000L;
    ArrivalCounts counts = new ArrivalCounts(9, 1, 0, 2);
    byte[] progress =
        new StatesMessage.Progress(
                1, 2, "berlin", end, List.of(new StatesMessage.Published(publication, end)))
            .toBytes();
    byte[] part =
        StatesMessage.parts(1, 3, "berlin", publication, end, counts, new byte[40])
            .get(0)
            .toBytes();
    return List.of(progress, part);
  }

  @Override
  public void run(byte[] input) {
    byte[] bytes = input.clone();
    Edits.putLength(bytes, LENGTH_AT);
    Edits.seal(bytes, CRC_AT);
    try {
      byte[] again = StatesMessage.open(bytes).toBytes();
      ExportsFuzz.require(Arrays.equals(bytes, again), "written again it has other bytes");
    } catch (StateFormatException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
    }
  }
}
