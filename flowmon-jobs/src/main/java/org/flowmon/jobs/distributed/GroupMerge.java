package org.flowmon.jobs.distributed;

import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.udaf.MergedGroups;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;

/** Merges the partial groups of a key group; at the end it sends the rows of the answer. */
final class GroupMerge extends AbstractStreamOperator<Tuple2<Integer, byte[]>>
    implements OneInputStreamOperator<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final List<ArchiveLocation> archives;
  private final String query;
  private transient Archives opened;
  private transient MergedGroups groups;
  private transient ReadCounts read;

  GroupMerge(List<ArchiveLocation> archives, String query) {
    this.archives = List.copyOf(archives);
    this.query = query;
  }

  @Override
  public void open() throws Exception {
    super.open();
    opened = Archives.open(archives); // which makes users' own columns known
    int tasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
    groups = new MergedGroups(QueryParser.parse(query), new GroupMemory(GroupScan.memory(tasks)));
    read = ReadCounts.NONE;
  }

  @Override
  public void processElement(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
    Tuple2<Integer, byte[]> part = element.getValue();
    if (part.f0 == ReadCounts.PLACE) {
      read = read.plus(ReadCounts.fromBytes(part.f1));
    } else {
      groups.merge(part.f1);
    }
  }

  @Override
  public void endInput() throws Exception {
    for (byte[] rows : groups.rows()) {
      output.collect(new StreamRecord<>(Tuple2.of(0, rows)));
    }
    output.collect(new StreamRecord<>(Tuple2.of(ReadCounts.PLACE, read.toBytes())));
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(opened);
    super.close();
  }
}
