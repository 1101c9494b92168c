package org.flowmon.ingest.synthetic.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What a program does again and again: its hosts hold conversations with servers. As ordinary
 * traffic it has no label, as an {@link Attack} it has one.
 *
 * @param type the kind of attack, if it is one
 */
public record Behaviour(
    When when, String type, Party clients, Party servers, Choice choice, Pace pace, Talk talk)
    implements Attack {

  /** Numbers of all orders of magnitude between two, drawn evenly by their logarithm. */
  public record Range(double least, double most) {
    double draw(SplittableRandom random) {
      return least == most ? least : least * Math.pow(most / least, random.nextDouble());
    }
  }

  /**
   * Whom a client speaks with.
   *
   * @param known how many servers each client has, the same on all days; 0: any
   * @param skew Zipf exponent of the servers
   * @param dead share of servers that never answer
   */
  public record Choice(int known, double skew, double dead) {}

  /** How sessions follow each other. */
  public enum Rhythm {
    /** At random, as many as the network's day has it. */
    DAILY,
    /** At random, day and night. */
    STEADY,
    /** Each period, within the jitter. */
    PERIODIC,
    /** One session, at the beginning. */
    ONCE
  }

  /**
   * When a client speaks.
   *
   * @param every from one session to the next, on average
   * @param jitter of {@link Rhythm#PERIODIC}: how far from its time one may begin, as a share of
   *     the period
   * @param at of {@link Rhythm#PERIODIC}: when the first one begins, after a multiple of the period
   *     since 1970; empty: each client at a time of its own
   * @param conversations of a session
   * @param within in which they begin, on average
   */
  public record Pace(
      Rhythm rhythm,
      Duration every,
      double jitter,
      Optional<Duration> at,
      Range conversations,
      Duration within,
      DailySwing swing) {}

  /**
   * What is said.
   *
   * @param ports of the servers
   * @param portsEach how many of them a server has
   * @param sourcePort of the clients; 0: one of its own for each conversation
   * @param request bytes of the client
   * @param reply bytes of the server
   * @param lasts ms
   * @param unanswered share of conversations that nobody answers
   * @param refused share of conversations that are refused
   */
  public record Talk(
      int protocol,
      List<Integer> ports,
      int portsEach,
      int sourcePort,
      Range request,
      Range reply,
      Range lasts,
      double unanswered,
      double refused) {
    public Talk {
      ports = List.copyOf(ports);
    }
  }

  @Override
  public AttackStream flows(double fromMillis, double toMillis, SplittableRandom random) {
    return new BehaviourStream(this, fromMillis, toMillis, random);
  }
}
