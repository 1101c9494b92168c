package org.flowmon.jobs.lowlevel;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.window.WindowPart;

/**
 * A message to the next level: a part of a window's result, to be merged with others. Bytes and
 * arrays are read-only, times in microseconds. Bytes of windows are for {@link WindowPart#open}.
 */
@TypeInfo(Partial.Factory.class)
public sealed interface Partial {
  TypeInformation<Partial> TYPE = new RecordType<>(Partial.class, new PartialSerializer());

  /** 0 … maximum parallelism − 1 of the merge. */
  int keyGroup();

  /** Groups of one query, pane, key group, for {@code PartialGroups.open}; from the low level. */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Groups(int keyGroup, byte[] bytes) implements Partial {}

  /** From the merge to the last step: groups of one window. */
  sealed interface OfWindow extends Partial {
    long queryId();

    long windowEnd();

    byte[] bytes();
  }

  /** The groups of one window in some key groups. */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Part(long queryId, byte[] bytes) implements OfWindow {
    @Override
    public int keyGroup() {
      return 0;
    }

    @Override
    public long windowEnd() {
      return WindowPart.windowEnd(bytes);
    }
  }

  /**
   * Groups of a window (they alone count) in advance of its result; no other run of a merging task
   * has this {@code task}.
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Advance(long queryId, long task, byte[] bytes) implements OfWindow {
    @Override
    public int keyGroup() {
      return 0;
    }

    @Override
    public long windowEnd() {
      return WindowPart.windowEnd(bytes);
    }
  }

  /**
   * A window's groups in some key groups, without those sent in advance by {@link Advance#task}.
   *
   * @param advances how many it sent: without all of them the window lacks groups
   * @param superseded places of outdated groups among all sent of the window in advance
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Rest(long queryId, long task, int advances, int[] superseded, byte[] bytes)
      implements OfWindow {
    @Override
    public int keyGroup() {
      return 0;
    }

    @Override
    public long windowEnd() {
      return WindowPart.windowEnd(bytes);
    }
  }

  /**
   * All groups of one key group in a window whose result may be revised, replacing its former
   * update.
   *
   * @param since the arrival through which the former update, if any, was complete
   * @param through the arrival through which this one is complete
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Update(int keyGroup, long queryId, long windowEnd, long since, long through, byte[] bytes)
      implements OfWindow {}

  /** From the low level to the last step, through the merge: arrival counts of one pane. */
  record Counts(int keyGroup, long queryId, long paneStart, ArrivalCounts counts)
      implements Partial {}

  /**
   * To the last step, through the merge: a query failed and was stopped; its open windows lack
   * groups and never go out. One changed since {@code version}, that of the change it ran by, goes
   * on.
   */
  record Stopped(int keyGroup, long queryId, long version) implements Partial {}

  /** To all operators after the low level, per key group before what depends on it: a change. */
  record Definition(int keyGroup, AnalysisChange change) implements Partial {}

  /**
   * To the last step, through the merge: a low-level task has begun with a query. Earlier flows
   * have times before {@code firstWhole}, so windows from there on lack none of its flows.
   *
   * @param version of the change that began it; 0 if the job was started with it
   * @param task of the low level, 0 … tasks − 1
   * @param tasks a window is whole if it is for each
   * @param firstWhole start of a pane; {@link Long#MIN_VALUE}: the task had taken no flows
   */
  record Started(int keyGroup, long queryId, long version, int task, int tasks, long firstWhole)
      implements Partial {}

  /**
   * To the last step, through the merge: a merged site was incomplete when results went out. Those
   * complete through an arrival in ({@code after}, {@code through}] lack flows of the site.
   */
  record Missing(int keyGroup, long queryId, String site, long after, long through)
      implements Partial {}

  /** Flink's type information. */
  final class Factory extends TypeInfoFactory<Partial> {
    @Override
    public TypeInformation<Partial> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
