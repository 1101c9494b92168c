package org.flowmon.ingest.decode.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads unsigned values in network byte order. The caller has checked the bounds. */
public final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  public static int u8(byte[] bytes, int at) {
    return bytes[at] & 0xFF;
  }

  public static int u16(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at) & 0xFFFF;
  }

  public static long u32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xFFFF_FFFFL;
  }

  public static int i32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  public static long i64(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }
}
