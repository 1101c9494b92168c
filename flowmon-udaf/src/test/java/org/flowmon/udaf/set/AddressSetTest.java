package org.flowmon.udaf.set;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/** A set has the addresses that one of its items has, looked at one by one. */
class AddressSetTest {
  private static final int[] IPV4_BITS = {0, 1, 3, 7, 8, 9, 12, 16, 24, 31, 32};
  private static final int[] IPV6_BITS = {0, 1, 3, 7, 8, 9, 10, 48, 64, 95, 96, 97, 127, 128};

  @Test
  void everyAddressNearAnEndIsInTheSetIfAnItemHasIt() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      List<Expression> items = new ArrayList<>();
      List<BigInteger> probes = new ArrayList<>();
      for (int i = random.nextInt(8); i >= 0; i--) {
        IpAddress address = address(random);
        int[] bits = address.isIpv4() ? IPV4_BITS : IPV6_BITS;
        boolean isPoint = random.nextBoolean();
        IpPrefix prefix = new IpPrefix(address, bits[random.nextInt(bits.length)]);
        items.add(
            isPoint
                ? new Literal(Value.ofAddress(address.hi(), address.lo()))
                : new Prefix(prefix));
        addAround(isPoint ? address : prefix.first(), probes);
        addAround(isPoint ? address : prefix.last(), probes);
      }
      for (int i = 0; i < 50; i++) {
        addAround(address(random), probes);
      }
      AddressSet set = AddressSet.of(items);
      for (BigInteger probe : probes) {
        IpAddress at = new IpAddress(probe.shiftRight(64).longValue(), probe.longValue());
        boolean expected = items.stream().anyMatch(item -> holds(item, at));
        assertEquals(expected, set.contains(at.hi(), at.lo()), "seed " + seed + ": " + at + items);
      }
    }
  }

  private static IpAddress address(Random random) {
    long high = random.nextInt(4) == 0 ? 0 : (long) random.nextInt(256) << 56 | random.nextInt(3);
    return random.nextBoolean()
        ? IpAddress.ofIpv4(random.nextInt())
        : new IpAddress(high, random.nextInt(3) == 0 ? random.nextInt(3) : random.nextLong());
  }

  private static void addAround(IpAddress address, List<BigInteger> probes) {
    BigInteger all = BigInteger.ONE.shiftLeft(128);
    BigInteger at = number(address.hi(), address.lo());
    for (int distance = -1; distance <= 1; distance++) {
      probes.add(at.add(BigInteger.valueOf(distance)).mod(all));
    }
  }

  private static BigInteger number(long high, long low) {
    return new BigInteger(Long.toUnsignedString(high))
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(low)));
  }

  /** A prefix has addresses of its own family only. */
  private static boolean holds(Expression item, IpAddress address) {
    if (item instanceof Prefix prefix) {
      IpAddress first = prefix.prefix().first();
      IpAddress last = prefix.prefix().last();
      BigInteger at = number(address.hi(), address.lo());
      return first.isIpv4() == address.isIpv4()
          && number(first.hi(), first.lo()).compareTo(at) <= 0
          && at.compareTo(number(last.hi(), last.lo())) <= 0;
    }
    Value value = ((Literal) item).value();
    return value.high() == address.hi() && value.low() == address.lo();
  }
}
