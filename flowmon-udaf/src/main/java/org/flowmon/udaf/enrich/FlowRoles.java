package org.flowmon.udaf.enrich;

import org.flowmon.udaf.vector.Vector;

/**
 * Who of a flow's two hosts is the client, which began, and whether the server answered.
 *
 * <p>Flows of one direction tell it each for itself: an answer has the server as its source. So a
 * client tried a target in vain if it has flows that are {@link #UNANSWERED} and none that is
 * {@link #ANSWERED}, of either direction. Sampled flows lack packets: of them only what is there
 * tells something.
 */
public final class FlowRoles {
  /** The client is the destination: the bit of a role that says so. */
  public static final long REVERSED = 1;

  /** It does not tell whether there was an answer: the next bits of a role, or … */
  public static final long UNKNOWN = 0;

  /** A try in which no answer shows. */
  public static final long UNANSWERED = 2;

  public static final long ANSWERED = 4;

  /**
   * The bit of a role that says that only ports tell who is the client, and neither is well known,
   * or both are the same.
   */
  public static final long GUESSED = 8;

  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int ACK = 16;

  /** Flows of tries are short; longer ones have answers somewhere else. */
  private static final int TRY_PACKETS = 3;

  /** An acknowledgement alone, or with the end, in so few packets may be a scan's. */
  private static final int BARE_PACKETS = 2;

  private static final int WELL_KNOWN = 1024;

  /** Zeek's S0, REJ, RSTOS0, RSTRH, SH. */
  private static final long REFUSED_STATES = bits(1, 4, 9, 10, 11);

  /** Zeek's S1, SF, S2, S3, RSTO, RSTR. */
  private static final long ESTABLISHED_STATES = bits(2, 3, 5, 6, 7, 8);

  /** TCP, UDP, DCCP, SCTP, UDP-Lite. */
  private static final long[] WITH_PORTS = protocols(6, 17, 33, 132, 136);

  /** What networks carry besides: fragments, IGMP, tunnels, routing, IPsec … */
  private static final long[] USUAL =
      protocols(0, 2, 4, 41, 43, 44, 46, 47, 50, 51, 59, 60, 88, 89, 94, 97, 103, 112, 115);

  private final Vector protocol;
  private final Vector sourcePort;
  private final Vector targetPort;
  private final Vector flags;
  private final Vector reverseFlags;
  private final Vector packets;
  private final Vector reversePackets;
  private final Vector state;
  private final Vector icmp;
  private final Vector sampling;

  private FlowRoles(Vector[] columns) {
    protocol = columns[0];
    sourcePort = columns[1];
    targetPort = columns[2];
    flags = columns[3];
    reverseFlags = columns[4];
    packets = columns[5];
    reversePackets = columns[6];
    state = columns[7];
    icmp = columns[8];
    sampling = columns[9];
  }

  /** Fills in the roles of flows; {@code columns} are those of {@link DerivedColumn#ROLE}. */
  public static void fill(Vector[] columns, int count, Vector out) {
    FlowRoles roles = new FlowRoles(columns);
    long[] values = out.values();
    for (int row = 0; row < count; row++) {
      values[row] = roles.role(row);
    }
    out.setAllValid(count);
  }

  private static long bits(int... codes) {
    long bits = 0;
    for (int code : codes) {
      bits |= 1L << code;
    }
    return bits;
  }

  private static long[] protocols(int... numbers) {
    long[] set = new long[4];
    for (int number : numbers) {
      set[number >> 6] |= 1L << number;
    }
    return set;
  }

  private static boolean contains(long[] set, int number) {
    return (set[number >> 6] >>> number & 1) != 0;
  }

  private long role(int row) {
    if (!protocol.isValid(row)) {
      return UNKNOWN;
    }
    int number = (int) protocol.values()[row] & 255;
    if (number == 1 || number == 58) {
      return ofIcmp(row);
    } else if (!contains(WITH_PORTS, number)) {
      boolean isProbe = !contains(USUAL, number) && reversePackets.values()[row] == 0;
      return isProbe ? unanswered(row) : UNKNOWN;
    } else if (state.isValid(row)) {
      return ofState(row, number == 17);
    }
    // Exporters that do not know the flags say 0.
    boolean hasFlags = number == 6 && flags.values()[row] != 0;
    if (reversePackets.isValid(row)) {
      return hasFlags || (number == 6 && reverseFlags.values()[row] != 0)
          ? ofBothWays(row)
          : byAnswer(row);
    }
    return hasFlags ? ofTcp(row) : byPorts(row);
  }

  private boolean isSampled(int row) {
    return sampling.values()[row] > 1;
  }

  private long unanswered(int row) {
    return isSampled(row) ? UNKNOWN : UNANSWERED;
  }

  private long ofIcmp(int row) {
    long type = icmp.isValid(row) ? icmp.values()[row] >> 8 : -1;
    if (type == 8 || type == 13 || type == 17 || type == 128) { // of echo, time or mask
      return reversePackets.values()[row] > 0 ? ANSWERED : unanswered(row);
    }
    boolean isReply = type == 0 || type == 14 || type == 18 || type == 129;
    return isReply && !reversePackets.isValid(row) ? ANSWERED | REVERSED : UNKNOWN;
  }

  private long ofState(int row, boolean isUdp) {
    long bit = 1L << state.values()[row];
    if ((ESTABLISHED_STATES & bit) != 0) {
      return ANSWERED;
    } else if (isUdp && isFromWellKnownPort(row)) {
      return UNKNOWN | REVERSED; // an answer that came too late
    }
    return (REFUSED_STATES & bit) != 0 ? UNANSWERED : UNKNOWN;
  }

  private boolean isFromWellKnownPort(int row) {
    return sourcePort.isValid(row)
        && sourcePort.values()[row] < WELL_KNOWN
        && targetPort.values()[row] >= WELL_KNOWN;
  }

  private boolean isBare(long flags, Vector packets, int row) {
    return (flags == ACK || flags == (ACK | FIN))
        && packets.isValid(row)
        && packets.values()[row] <= BARE_PACKETS
        && !isSampled(row);
  }

  /** Whether no answer to a connection has such flags: without ACK, and no lone reset. */
  private static boolean isProbe(long flags) {
    return (flags & ACK) == 0 && (flags & (SYN | RST)) != RST;
  }

  private static boolean isLoneReset(long flags) {
    return (flags & (SYN | RST | ACK)) == RST;
  }

  /** Of TCP in both directions, whichever the exporter calls the source. */
  private long ofBothWays(int row) {
    long sent = flags.values()[row];
    long returned = reverseFlags.values()[row];
    boolean isReturned = reversePackets.values()[row] > 0;
    boolean knowsReturned = isReturned && reverseFlags.isValid(row);
    if (knowsReturned && isProbe(returned) && (sent & (ACK | RST)) != 0) {
      return UNANSWERED | REVERSED;
    } else if (isProbe(sent)) {
      return UNANSWERED;
    }
    boolean isRefused = !isReturned || (knowsReturned && isLoneReset(returned));
    if (isRefused && isBare(sent, packets, row)) {
      return UNANSWERED;
    } else if (isLoneReset(sent) && isBare(returned, reversePackets, row)) {
      return UNANSWERED | REVERSED;
    }
    long reversed = isFromWellKnownPort(row) ? REVERSED : 0;
    return (isReturned ? ANSWERED : UNKNOWN) | reversed;
  }

  /** Of both directions without flags. */
  private long byAnswer(int row) {
    long reversed = isFromWellKnownPort(row) ? REVERSED : 0;
    if (reversePackets.values()[row] > 0) {
      return ANSWERED | reversed;
    }
    return reversed == 0 ? unanswered(row) : UNKNOWN | REVERSED;
  }

  private boolean hasPorts(int row) {
    return sourcePort.isValid(row) && targetPort.isValid(row);
  }

  private long guess(int row) {
    long from = sourcePort.values()[row];
    long to = targetPort.values()[row];
    return from == to || Math.min(from, to) >= WELL_KNOWN ? GUESSED : 0;
  }

  /** Of one direction of TCP. */
  private long ofTcp(int row) {
    long sent = flags.values()[row];
    if (isProbe(sent)) {
      return UNANSWERED;
    } else if (!hasPorts(row)) {
      return UNKNOWN;
    }
    return guess(row) | ofTcpByPorts(row, sent);
  }

  private long ofTcpByPorts(int row, long sent) {
    boolean isFromClient = sourcePort.values()[row] > targetPort.values()[row];
    if (isFromClient) {
      boolean tells = (sent & (SYN | RST)) != RST;
      return !tells ? UNKNOWN : isBare(sent, packets, row) ? UNANSWERED : ANSWERED;
    } else if (isLoneReset(sent)) {
      return UNANSWERED | REVERSED; // what refuses an acknowledgement of nothing
    }
    return ((sent & (SYN | RST)) == RST ? UNKNOWN : ANSWERED) | REVERSED;
  }

  /** Of one direction: an answer comes from the port of a service, which is the lower one. */
  private long byPorts(int row) {
    if (!hasPorts(row)) {
      return UNKNOWN;
    } else if (sourcePort.values()[row] <= targetPort.values()[row]) {
      return ANSWERED | REVERSED | guess(row);
    }
    boolean isTry = packets.isValid(row) && packets.values()[row] <= TRY_PACKETS;
    return (isTry ? unanswered(row) : UNKNOWN) | guess(row);
  }
}
