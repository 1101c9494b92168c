package org.flowmon.jobs.history;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.RecordType;

/** A window's result and the history that it is compared with. */
@TypeInfo(WindowHistory.Factory.class)
public record WindowHistory(WindowResult window, HistoryAnswer history) {
  public static final TypeInformation<WindowHistory> TYPE =
      new RecordType<>(WindowHistory.class, new WindowHistorySerializer());

  /** Flink's type information. */
  public static final class Factory extends TypeInfoFactory<WindowHistory> {
    @Override
    public TypeInformation<WindowHistory> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
