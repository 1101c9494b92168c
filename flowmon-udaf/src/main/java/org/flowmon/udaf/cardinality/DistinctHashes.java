package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;

/**
 * All hashes while they take no more room than registers, then registers, for {@link
 * ApproxCountDistinct}. The form and every byte depend on the set of hashes only.
 */
final class DistinctHashes implements SuperState {
  /** The probability of the bounds of an estimate from registers. */
  static final double PROBABILITY = 0.95;

  // Normal distribution, a close approximation for estimates from 2^7 registers and more.
  private static final double STANDARD_ERRORS = 1.96;

  // Objects and array headers, rounded up.
  private static final long FIXED_BYTES = 128;

  private final int precision;
  private HashCounts hashes = new HashCounts(false);
  // Empty while the hashes are kept.
  private byte[] registers = {};

  DistinctHashes(int precision) {
    this.precision = precision;
  }

  static int exactLimit(int precision) {
    return 1 << (precision - 3);
  }

  @Override
  public void merge(StateReader reader) {
    if (reader.remaining() == 0) {
      return;
    }
    int form = reader.getByte();
    switch (form) {
      case DistinctBytes.HASHES, DistinctBytes.EXACT -> {
        for (long hash : DistinctBytes.readHashes(reader, form == DistinctBytes.EXACT)) {
          add(hash);
        }
      }
      case DistinctBytes.REGISTERS -> {
        byte[] others = DistinctBytes.readRegisters(reader, precision);
        toRegisters();
        Registers.merge(registers, others);
      }
      default -> throw reader.error("expected form 32 \u2026 34, found " + form);
    }
  }

  private void add(long hash) {
    if (registers.length > 0) {
      Registers.add(registers, precision, hash);
    } else if (hashes.add(hash, 1) && hashes.size() > exactLimit(precision)) {
      toRegisters();
    }
  }

  private void toRegisters() {
    if (registers.length == 0) {
      registers = new byte[1 << precision];
      for (long hash : hashes.hashes()) {
        Registers.add(registers, precision, hash);
      }
      hashes = new HashCounts(false);
    }
  }

  @Override
  public void output(StateSink sink) {
    if (registers.length > 0) {
      DistinctBytes.writeRegisters(registers, sink);
    } else if (hashes.size() > 0) {
      DistinctBytes.writeExact(hashes.ascending(), sink);
    }
  }

  @Override
  public long memoryBytes() {
    return FIXED_BYTES + (registers.length == 0 ? 8L * hashes.words() : registers.length);
  }

  /** Any hash may turn the state into registers; each takes eight bytes. */
  @Override
  public long growth(StateReader bytes) {
    int form = bytes.peek();
    int more = bytes.remaining() / Long.BYTES;
    long read = form == DistinctBytes.REGISTERS ? 1L << precision : bytes.remaining();
    if (registers.length > 0) {
      return read;
    }
    int most = Math.min(exactLimit(precision) + 1, hashes.size() + more);
    long grown = Math.max(0, 8L * (HashCounts.slots(most) - hashes.words()));
    boolean mayTurn = form == DistinctBytes.REGISTERS || most > exactLimit(precision);
    return read + grown + (mayTurn ? 1L << precision : 0);
  }

  /** Registers may take less memory than the hashes before them. */
  @Override
  public long chargedBytes() {
    long most = FIXED_BYTES + 8L * HashCounts.slots(exactLimit(precision));
    return registers.length == 0 ? memoryBytes() : Math.max(most, memoryBytes());
  }

  Estimate count() {
    if (registers.length == 0) {
      return Estimate.exact(Value.ofLong(hashes.size()));
    }
    double estimate = Registers.estimate(registers, precision);
    double error = STANDARD_ERRORS * Registers.standardError(precision);
    // registers are made only beyond this many hashes
    long least = exactLimit(precision) + 1L;
    long lower = Math.max(least, (long) Math.floor(estimate / (1 + error)));
    long value = Math.max(lower, Math.round(estimate));
    long upper = Math.max(value, (long) Math.ceil(estimate / (1 - error)));
    return new Estimate(Value.ofLong(lower), Value.ofLong(value), Value.ofLong(upper));
  }

  ErrorBound error() {
    return registers.length == 0
        ? ErrorBound.EXACT
        : ErrorBound.relative(STANDARD_ERRORS * Registers.standardError(precision), PROBABILITY);
  }
}
