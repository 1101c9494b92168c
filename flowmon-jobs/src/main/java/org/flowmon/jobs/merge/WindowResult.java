package org.flowmon.jobs.merge;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/**
 * The result of an analysis's live query for one window: exact for the flows that had arrived, the
 * same at any parallelism, and the final one also in a replay. A window without groups gives a
 * result without rows if anything is {@linkplain #counts counted} in it, else none. An {@linkplain
 * #isAnnouncement announcement} is no result.
 *
 * @param analysis its name
 * @param definition the text of an analysis that came or changed while the job ran; null for one
 *     that the job was started with ({@link org.flowmon.jobs.analysis.Definitions})
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param update number of this result in its window, by its tick: 0 at the window's end, one more
 *     with each slide; ticks without a change are skipped
 * @param arrivedThrough the result has exactly the flows of the window that arrived by then,
 *     inclusive; in microseconds
 * @param finalAt the {@code arrivedThrough} of the window's final result, its end + lateness: no
 *     flow that arrives later is of the window
 * @param rows the query's answer in its order, ties by the keys, cut to its limit
 * @param totals one row: each aggregate of the query over all groups of the window, those beyond
 *     the limit too
 * @param groups number of all groups: an estimate if the result has only some of them, {@link
 *     #UNKNOWN_GROUPS} if it has none
 * @param groupLevel the sampling of groups: 0, all; n, one in 2^n, chosen by the hash of their
 *     keys, each of them exact; {@link #NO_GROUPS}, none, as even the fewest were too many
 * @param counts arrivals while the window was open, and known losses
 * @param inputThrough the last arrival of the input if its end gave the result before the window's
 *     time had come; {@link Long#MAX_VALUE} if that had come
 * @param bounds error bounds of stateful functions in the rows; empty for an analysis without them
 * @param missingSites the merged sites whose states were incomplete, in the order of their names;
 *     empty for flows
 */
@TypeInfo(WindowResult.Factory.class)
public record WindowResult(
    String analysis,
    String definition,
    long windowStart,
    long windowEnd,
    int update,
    long arrivedThrough,
    long finalAt,
    ResultTable rows,
    ResultTable totals,
    long groups,
    int groupLevel,
    ArrivalCounts counts,
    long inputThrough,
    List<ValueBound> bounds,
    List<String> missingSites) {
  /** The {@link #groupLevel} of a result without groups. */
  public static final int NO_GROUPS = 17;

  /** The number of {@link #groups} if it is unknown. */
  public static final long UNKNOWN_GROUPS = -1;

  public static final TypeInformation<WindowResult> TYPE =
      new RecordType<>(WindowResult.class, new WindowResultSerializer());

  public WindowResult {
    bounds = List.copyOf(bounds);
    missingSites = List.copyOf(missingSites);
  }

  /**
   * Creates a result of flows for a window whose time has come, for an analysis without stateful
   * functions.
   */
  public WindowResult(
      String analysis,
      String definition,
      long windowStart,
      long windowEnd,
      int update,
      long arrivedThrough,
      long finalAt,
      ResultTable rows,
      ResultTable totals,
      long groups,
      int groupLevel,
      ArrivalCounts counts) {
    this(
        analysis,
        definition,
        windowStart,
        windowEnd,
        update,
        arrivedThrough,
        finalAt,
        rows,
        totals,
        groups,
        groupLevel,
        counts,
        Long.MAX_VALUE,
        List.of(),
        List.of());
  }

  /**
   * Creates the only result of a window, at its end, for an analysis that the job was started with.
   */
  public WindowResult(
      String analysis,
      long windowStart,
      long windowEnd,
      ResultTable rows,
      ResultTable totals,
      long groups,
      ArrivalCounts counts) {
    this(
        analysis,
        null,
        windowStart,
        windowEnd,
        0,
        windowEnd,
        windowEnd,
        rows,
        totals,
        groups,
        0,
        counts);
  }

  /**
   * Creates an announcement instead of a result: the new definition of an analysis, for operators
   * that keep definitions.
   *
   * @param definition its text; empty: it is removed
   * @param version of the change, stored as {@code groups}: announcements of a name may overtake
   *     one another
   * @param time of the watermark, in microseconds
   */
  public static WindowResult announcement(
      String analysis, String definition, long version, long time) {
    ResultTable none = new ResultTable.Builder().build();
    return new WindowResult(
        analysis,
        definition,
        time,
        time,
        0,
        time,
        time,
        none,
        none,
        version,
        0,
        ArrivalCounts.NONE);
  }

  /** Whether this announces the new definition of an analysis and is no result. */
  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /**
   * Whether the window has any groups. Without them the result has no rows, only its {@link
   * #counts}.
   */
  public boolean hasGroups() {
    return groups != 0 || groupLevel != 0 || rows.rowCount() > 0;
  }

  /** Whether no other result of the window follows. */
  public boolean isFinal() {
    return arrivedThrough == finalAt;
  }

  /** Returns this result with an analysis defined by this text. */
  public WindowResult withDefinition(String text) {
    return with(text, inputThrough, bounds, missingSites);
  }

  public WindowResult withBounds(List<ValueBound> ofRows) {
    return with(definition, inputThrough, ofRows, missingSites);
  }

  /** Returns this result with incomplete sites. */
  public WindowResult withMissing(List<String> ofSites) {
    return with(definition, inputThrough, bounds, ofSites);
  }

  /** Returns this result as given at the end of input. */
  public WindowResult atEndOfInput(long through) {
    return with(definition, through, bounds, missingSites);
  }

  private WindowResult with(
      String text, long through, List<ValueBound> ofRows, List<String> missing) {
    return new WindowResult(
        analysis,
        text,
        windowStart,
        windowEnd,
        update,
        arrivedThrough,
        finalAt,
        rows,
        totals,
        groups,
        groupLevel,
        counts,
        through,
        ofRows,
        missing);
  }

  /** Flink's type information. */
  public static final class Factory extends TypeInfoFactory<WindowResult> {
    @Override
    public TypeInformation<WindowResult> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
