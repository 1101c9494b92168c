package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.state.SuperState;
import org.junit.jupiter.api.Test;

/** Ownership of states that tables share, move and change. */
class GroupStatesTest {
  private static final FlowQuery QUERY =
      QueryParser.parse(
          "SELECT dst_port, COUNT(QUANTILES(bytes)) AS n FROM flows GROUP BY dst_port");

  /** A table of ports 0, 1, … with so many flows each. */
  private static GroupTable table(int... flows) {
    return collected(new GroupCollector(QUERY), flows).table();
  }

  private static GroupCollector collected(GroupCollector groups, int... flows) {
    for (int port = 0; port < flows.length; port++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(flows[port]);
      int[] selection = new int[flows[port]];
      for (int row = 0; row < flows[port]; row++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 1);
        builder.set(FlowColumn.DST_PORT, port);
        builder.set(FlowColumn.BYTES, 1000L * port + row);
        builder.endRow();
        selection[row] = row;
      }
      groups.add(FlowBatch.open(builder.build(1, 0, 0, 0)), 0, selection, selection.length);
    }
    groups.table().states().state(0, 0); // moves the rows from scratchpads to the states
    return groups;
  }

  @Test
  void answersLeaveWhatIsCountedAsItWas() {
    FlowQuery exact =
        QueryParser.parse(
            "SELECT dst_port, QUANTILE(QUANTILES(bytes, 0), 0.5) AS q FROM flows"
                + " GROUP BY dst_port");
    GroupMemory memory = GroupMemory.unlimited();
    GroupCollector all = collected(new GroupCollector(exact, memory), 3, 900, 1000);
    for (int i = 0; i < 6; i++) {
      long before = all.table().heapBytes();
      String answer = all.finish().toString();
      assertEquals(before, all.table().heapBytes(), "answer " + i);
      assertEquals(measured(all.table()), all.table().states().bytes(), "answer " + i);
      // The same values again: charged bytes must neither fall nor grow.
      all.table().merge(collected(new GroupCollector(exact), 3, 900, 1000).table());
      assertEquals(answer, all.finish().toString());
      assertEquals(before, all.table().heapBytes(), "merge " + i);
      assertTrue(memory.taken() >= before, "merge " + i);
      assertEquals(measured(all.table()), all.table().states().bytes(), "merge " + i);
    }
  }

  @Test
  void whatIsMergedIntoASharedStateLeavesItsOwnersAsItWas() {
    GroupTable owner = table(3, 50);
    GroupTable reader = new GroupTable(owner.layout());
    reader.append(owner);
    assertSame(owner.states().state(0, 1), reader.states().state(0, 1));
    assertEquals(owner.holding(), reader.holding());
    String before = new GroupAnswer(owner, QUERY).finish().toString();
    long bytes = owner.states().bytes();
    long charged = owner.holding().stateBytes();
    reader.mergeStates(1, table(1, 400), 1);
    assertNotSame(owner.states().state(0, 1), reader.states().state(0, 1));
    assertSame(owner.states().state(0, 0), reader.states().state(0, 0));
    assertEquals(before, new GroupAnswer(owner, QUERY).finish().toString());
    assertEquals(bytes, owner.states().bytes());
    assertEquals(450, new GroupAnswer(reader, QUERY).finish().longValue(1, 1));
    assertEquals(measured(reader), reader.states().bytes());
    reader.clear();
    assertEquals(0, reader.holding().stateBytes());
    assertEquals(charged, owner.holding().stateBytes());
    assertEquals(before, new GroupAnswer(owner, QUERY).finish().toString());
  }

  @Test
  void aHigherLevelTakesTheStatesOfTheGroupsThatAreLeftAndCountsNoOthers() {
    GroupTable all = table(3, 50, 7, 9, 400, 2, 8, 30);
    GroupTable sampled = new GroupTable(all.layout()).emptyAtLevel(0);
    sampled.merge(all);
    assertEquals(all.holding(), sampled.holding());
    SuperState[] states = new SuperState[all.size()];
    byte[] levels = sampled.levels();
    for (int group = 0; group < states.length; group++) {
      states[group] = sampled.states().state(0, group);
    }
    GroupTable left = sampled.atLevel(1);
    long charged = 0;
    int next = 0;
    for (int group = 0; group < states.length; group++) {
      if (levels[group] >= 1) {
        assertSame(states[group], left.states().state(0, next++));
        charged += states[group].chargedBytes();
      }
    }
    assertEquals(new GroupHolding(next, charged), left.holding());
    assertEquals(measured(left), left.states().bytes());
    assertEquals(0, sampled.states().bytes());
  }

  private static long measured(GroupTable table) {
    long bytes = 0;
    for (int group = 0; group < table.size(); group++) {
      bytes += table.states().state(0, group).memoryBytes();
    }
    return bytes;
  }
}
