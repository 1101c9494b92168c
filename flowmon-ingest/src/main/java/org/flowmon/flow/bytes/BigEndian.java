package org.flowmon.flow.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Integers in network order; an offset outside the array throws {@link IndexOutOfBoundsException}.
 */
public final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  public static int getU8(byte[] bytes, int at) {
    return bytes[at] & 0xFF;
  }

  public static int getU16(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at) & 0xFFFF;
  }

  /** 0 … 2^32 − 1. */
  public static long getU32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xFFFF_FFFFL;
  }

  public static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  public static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  public static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  public static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }
}
