package org.flowmon.jobs.types;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's type information of a record: its class and {@link RecordSerializer}. A record names it
 * by {@code @TypeInfo(RecordType.Factory.class)} and a constant {@code TYPE}.
 */
public final class RecordType<T> extends TypeInformation<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;
  private final RecordSerializer<T> serializer;

  public RecordType(Class<T> type, RecordSerializer<T> serializer) {
    this.type = type;
    this.serializer = serializer;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer;
  }

  @Override
  public Class<T> getTypeClass() {
    return type;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof RecordType;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordType<?> that
        && type == that.type
        && serializer.equals(that.serializer);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, serializer);
  }

  @Override
  public String toString() {
    return type.getSimpleName();
  }

  /** Finds the type information of an annotated record: its constant {@code TYPE}. */
  public static final class Factory extends TypeInfoFactory<Object> {
    @Override
    @SuppressWarnings("unchecked") // the constant's own type is checked where it is used
    public TypeInformation<Object> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      try {
        return (TypeInformation<Object>) ((Class<?>) type).getField("TYPE").get(null);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(type + " has no public constant TYPE", e);
      }
    }
  }
}
