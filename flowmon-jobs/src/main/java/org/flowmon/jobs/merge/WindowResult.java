package org.flowmon.jobs.merge;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.query.ResultTable;

/**
 * What an analysis's live query gave for one window: exact, the same at any parallelism and in a
 * replay. A window without groups gives no result.
 *
 * @param analysis its name
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param rows the query's answer in its order, ties by the keys, cut to its limit
 * @param totals one row: each aggregate of the query over all groups of the window, those beyond
 *     the limit too
 * @param groups number of all groups
 * @param counts what arrived while the window was open, and what is known not to have
 */
@TypeInfo(WindowResult.Factory.class)
public record WindowResult(
    String analysis,
    long windowStart,
    long windowEnd,
    ResultTable rows,
    ResultTable totals,
    long groups,
    ArrivalCounts counts) {
  public static final TypeInformation<WindowResult> TYPE =
      new RecordType<>(WindowResult.class, new WindowResultSerializer());

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<WindowResult> {
    @Override
    public TypeInformation<WindowResult> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
