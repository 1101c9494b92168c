package org.flowmon.jobs.offered;

import java.util.Set;
import org.flowmon.flow.IpAddress;

/**
 * Who began a flow with whom, by the rules of {@code docs/query.md}; null if it does not tell.
 *
 * @param answered whether it shows an answer
 */
record PlainRole(IpAddress client, IpAddress server, Long port, Boolean answered) {
  private static final Set<Long> PORTS = Set.of(6L, 17L, 33L, 132L, 136L);
  private static final Set<Long> USUAL =
      Set.of(
          0L, 2L, 4L, 41L, 43L, 44L, 46L, 47L, 50L, 51L, 59L, 60L, 88L, 89L, 94L, 97L, 103L, 112L,
          115L);

  private static PlainRole of(PlainFlow flow, boolean isReversed, Boolean answered) {
    return isReversed
        ? new PlainRole(flow.target(), flow.source(), flow.sourcePort(), answered)
        : new PlainRole(flow.source(), flow.target(), flow.port(), answered);
  }

  static PlainRole of(PlainFlow flow) {
    Boolean inVain =
        (flow.samplingRate() != null && flow.samplingRate() > 1) ? null : (Boolean) false;
    boolean isBack = flow.reversePackets() != null && flow.reversePackets() > 0;
    if (flow.protocol() == null) {
      return of(flow, false, null);
    } else if (flow.isIcmp()) {
      long type = flow.icmp() == null ? -1 : flow.icmp() / 256;
      if (Set.of(8L, 13L, 17L, 128L).contains(type)) {
        return of(flow, false, isBack ? Boolean.TRUE : inVain);
      }
      boolean isReply = Set.of(0L, 14L, 18L, 129L).contains(type) && flow.reversePackets() == null;
      return of(flow, isReply, isReply ? Boolean.TRUE : null);
    } else if (!PORTS.contains(flow.protocol())) {
      return of(flow, false, (isBack || USUAL.contains(flow.protocol())) ? null : inVain);
    }
    boolean isService =
        flow.sourcePort() != null
            && flow.port() != null
            && flow.sourcePort() < 1024
            && flow.port() >= 1024;
    if (flow.state() != null) {
      boolean isEstablished = Set.of(2L, 3L, 5L, 6L, 7L, 8L).contains(flow.state());
      boolean isLate = !isEstablished && isService && flow.protocol() == 17;
      boolean isRefused = Set.of(1L, 4L, 9L, 10L, 11L).contains(flow.state());
      return of(
          flow,
          isLate,
          isEstablished ? Boolean.TRUE : (isRefused && !isLate) ? (Boolean) false : null);
    }
    boolean isTcp = flow.protocol() == 6 && flow.flags() != null && flow.flags() != 0;
    if (flow.reversePackets() != null) {
      return isTcp ? bothWays(flow, isBack, isService) : answer(flow, isBack, isService, inVain);
    }
    return isTcp ? tcp(flow, inVain) : ports(flow, inVain);
  }

  private static PlainRole answer(
      PlainFlow flow, boolean isBack, boolean isService, Boolean inVain) {
    return of(flow, isService, isBack ? Boolean.TRUE : isService ? null : inVain);
  }

  private static boolean isProbe(PlainFlow flow) {
    return !flow.hasFlags(16, 16) && (flow.hasFlags(2, 2) || !flow.hasFlags(4, 4));
  }

  private static boolean isBare(PlainFlow flow) {
    return (flow.flags() == 16 || flow.flags() == 17)
        && flow.packets() != null
        && flow.packets() <= 2;
  }

  /** Without flags of the way back, which the traffic of these tests does not have. */
  private static PlainRole bothWays(PlainFlow flow, boolean isBack, boolean isService) {
    if (flow.reverseFlags() != null) {
      throw new AssertionError("flags of the way back");
    } else if (isProbe(flow)) {
      return of(flow, false, false);
    } else if (!isBack && isBare(flow)) {
      return of(flow, false, isSampled(flow) ? null : (Boolean) false);
    }
    return of(flow, isService, isBack ? Boolean.TRUE : null);
  }

  private static boolean isSampled(PlainFlow flow) {
    return flow.samplingRate() != null && flow.samplingRate() > 1;
  }

  private static PlainRole tcp(PlainFlow flow, Boolean inVain) {
    if (isProbe(flow)) {
      return of(flow, false, false);
    } else if (flow.sourcePort() == null || flow.port() == null) {
      return of(flow, false, null);
    }
    boolean isReset = flow.hasFlags(6, 4);
    if (flow.isFromAHigherPort()) {
      boolean isUnanswered = isBare(flow) && inVain != null;
      return of(flow, false, isReset ? null : (Boolean) !isUnanswered);
    }
    return of(flow, true, !isReset ? Boolean.TRUE : flow.hasFlags(16, 0) ? (Boolean) false : null);
  }

  private static PlainRole ports(PlainFlow flow, Boolean inVain) {
    if (flow.sourcePort() == null || flow.port() == null) {
      return of(flow, false, null);
    } else if (!flow.isFromAHigherPort()) {
      return of(flow, true, true);
    }
    return of(flow, false, (flow.packets() != null && flow.packets() <= 3) ? inVain : null);
  }
}
