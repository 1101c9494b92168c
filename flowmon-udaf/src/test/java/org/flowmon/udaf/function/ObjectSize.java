package org.flowmon.udaf.function;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.flowmon.udaf.state.SuperAggregate;

/** Heap bytes of an object and everything that it alone refers to, with references of 4 bytes. */
public final class ObjectSize {
  private ObjectSize() {}

  public static long of(Object root) throws IllegalAccessException {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> open = new ArrayDeque<>();
    open.add(root);
    seen.add(root);
    long bytes = 0;
    while (!open.isEmpty()) {
      Object object = open.poll();
      Class<?> type = object.getClass();
      if (type.isArray()) {
        Class<?> element = type.getComponentType();
        int length = Array.getLength(object);
        bytes += padded(16 + (long) size(element) * length);
        for (int i = 0; i < length && !element.isPrimitive(); i++) {
          follow(Array.get(object, i), seen, open);
        }
        continue;
      }
      long fields = 12;
      for (Class<?> at = type; at != null; at = at.getSuperclass()) {
        for (Field field : at.getDeclaredFields()) {
          if (!Modifier.isStatic(field.getModifiers())) {
            fields += size(field.getType());
            if (!field.getType().isPrimitive()) {
              field.setAccessible(true);
              follow(field.get(object), seen, open);
            }
          }
        }
      }
      bytes += padded(fields);
    }
    return bytes;
  }

  /** Objects that all states share do not count. */
  private static void follow(Object object, Set<Object> seen, Deque<Object> open) {
    boolean isShared =
        object == null
            || object instanceof SuperAggregate
            || object instanceof BoundUdaf
            || object instanceof Enum
            || object instanceof Class;
    if (!isShared && seen.add(object)) {
      open.add(object);
    }
  }

  private static int size(Class<?> type) {
    if (type == long.class || type == double.class) {
      return 8;
    }
    if (type == short.class || type == char.class) {
      return 2;
    }
    return type == byte.class || type == boolean.class ? 1 : 4;
  }

  private static long padded(long bytes) {
    return (bytes + 7) & ~7;
  }
}
