package org.flowmon.jobs.history;

import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.RecordType;

/** A window's result and the history that it is compared with. */
@TypeInfo(RecordType.Factory.class)
public record WindowHistory(WindowResult window, HistoryAnswer history) {
  public static final TypeInformation<WindowHistory> TYPE =
      new RecordType<>(WindowHistory.class, new WindowHistorySerializer());
}
