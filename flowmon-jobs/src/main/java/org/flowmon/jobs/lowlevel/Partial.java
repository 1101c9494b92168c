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
 * A message from one level to the next: a part of a window's result that is still to be merged with
 * others.
 */
@TypeInfo(Partial.Factory.class)
public sealed interface Partial {
  TypeInformation<Partial> TYPE = new RecordType<>(Partial.class, new PartialSerializer());

  /** Its key group in the merge: 0 … maximum parallelism − 1. */
  int keyGroup();

  /**
   * From the low level to the merge: groups of one query, one pane and one key group.
   *
   * @param bytes for {@link org.flowmon.udaf.partial.PartialGroups#open}; read-only
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Groups(int keyGroup, byte[] bytes) implements Partial {}

  /** From the merge to the last step: groups of one window. */
  sealed interface OfWindow extends Partial {
    long queryId();

    /** End of the window, in microseconds. */
    long windowEnd();

    /** For {@link WindowPart#open}; read-only. */
    byte[] bytes();
  }

  /**
   * The groups of one window in some key groups.
   *
   * @param bytes for {@link WindowPart#open}; read-only
   */
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
   * Groups of a window, sent in advance of its result.
   *
   * @param task a number that no other run of a task of the merge has
   * @param bytes for {@link WindowPart#open}, whose groups alone count; read-only
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
   * The groups of one window in some key groups, without those that the task sent in advance.
   *
   * @param task as in {@link Advance}
   * @param advances how many {@link Advance}s of the window it sent: without all of them the window
   *     lacks groups
   * @param superseded the places of outdated groups among all that the task sent of the window in
   *     advance; read-only
   * @param bytes for {@link WindowPart#open}; read-only
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
   * All groups of one key group in a window whose result may be revised. It replaces the former
   * update of the same key group and window.
   *
   * @param windowEnd in microseconds
   * @param since the arrival through which the former update, if any, was complete
   * @param through the arrival through which this one is complete, in microseconds
   * @param bytes for {@link WindowPart#open}; read-only
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, handed on and never compared
  record Update(int keyGroup, long queryId, long windowEnd, long since, long through, byte[] bytes)
      implements OfWindow {}

  /**
   * From the low level to the last step, through the merge: arrival counts of one pane.
   *
   * @param paneStart in microseconds
   */
  record Counts(int keyGroup, long queryId, long paneStart, ArrivalCounts counts)
      implements Partial {}

  /**
   * To the last step, through the merge: a query failed at run time and was stopped. Its open
   * windows lack groups and never go out.
   *
   * @param version of the change that the query ran by; a query changed since goes on
   */
  record Stopped(int keyGroup, long queryId, long version) implements Partial {}

  /**
   * To all operators after the low level, in each key group before any message that depends on it:
   * an analysis has started, changed or stopped.
   */
  record Definition(int keyGroup, AnalysisChange change) implements Partial {}

  /**
   * To the last step, through the merge: a task of the low level has begun with a query. All flows
   * that it took before have times before {@code firstWhole}, so windows from there on lack none of
   * its flows.
   *
   * @param version of the change that began it; 0 if the job was started with it
   * @param task of the low level, 0 … tasks − 1
   * @param tasks of the low level: a window is whole if it is for each
   * @param firstWhole in microseconds, the start of a pane; {@link Long#MIN_VALUE}: the task had
   *     taken no flows
   */
  record Started(int keyGroup, long queryId, long version, int task, int tasks, long firstWhole)
      implements Partial {}

  /**
   * To the last step, through the merge: a site whose states are merged here was incomplete when
   * results of the query went out.
   *
   * @param after results complete through an arrival later than this, in microseconds,
   * @param through and not later than this, lack flows of the site
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
