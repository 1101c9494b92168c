package org.flowmon.ingest.synthetic.scenario;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.OrdinaryTraffic;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.ZipfSampler;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Rhythm;

/**
 * The conversations of a behaviour in the order of their exports. Routers export a long one in
 * pieces, each {@link #ACTIVE_TIMEOUT_MILLIS}.
 */
final class BehaviourStream extends AttackStream {
  static final double ACTIVE_TIMEOUT_MILLIS = 1_800_000;

  private static final int PSH_ACK = 0x18;
  private static final int FIN = 0x01;
  private static final int DATA_PACKET = 1_200;
  private static final int CONTROL_PACKETS = 4; // of a TCP connection
  private static final double TO_SHARE = 0x1p-53;

  private final Behaviour behaviour;
  private final Behaviour.Talk talk;
  private final Behaviour.Pace pace;
  private final double periodMillis;
  private final int[] clients;
  private final int[] servers;
  private final ZipfSampler rank;
  private final long salt;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Deque<Event> spent = new ArrayDeque<>();
  private long numbers;
  private Event exported;
  private boolean answerIsDue;

  private enum Outcome {
    ANSWERED,
    REFUSED,
    UNANSWERED
  }

  /** The next step of a client's session, or the next export of a conversation. */
  private static final class Event implements Comparable<Event> {
    double due;
    long number;
    int client;
    boolean isExport;

    // Of a session.
    int left; // conversations that have yet to begin
    double gap; // between them
    double grid; // when the periodic session was due without jitter

    // Of a conversation.
    int server;
    int clientPort;
    int port;
    Outcome outcome = Outcome.ANSWERED;
    double begin;
    double end;
    double piece; // its beginning
    double request;
    double reply;

    @Override
    public int compareTo(Event other) {
      int order = Double.compare(due, other.due);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  BehaviourStream(Behaviour behaviour, double from, double to, SplittableRandom random) {
    super(Double.POSITIVE_INFINITY, to, random);
    this.behaviour = behaviour;
    this.talk = behaviour.talk();
    this.pace = behaviour.pace();
    this.periodMillis = pace.every().toNanos() / 1e6;
    this.clients = behaviour.clients().draw(random);
    this.servers = behaviour.servers().draw(random);
    this.rank = new ZipfSampler(servers.length, behaviour.choice().skew());
    this.salt = random.nextLong();
    for (int i = 0; i < clients.length; i++) {
      Event session = new Event();
      session.client = i;
      schedule(session, first(session, from));
    }
    this.exported = new Event();
    begin(nextExport());
  }

  private double first(Event session, double from) {
    if (pace.rhythm() != Rhythm.PERIODIC) {
      return pace.rhythm() == Rhythm.ONCE ? from : from + nextGap();
    }
    double phase =
        pace.at().isPresent()
            ? Math.ceil((from - pace.at().get().toMillis()) / periodMillis) * periodMillis
                + pace.at().get().toMillis()
            : from + random.nextDouble() * periodMillis;
    session.grid = phase;
    return phase + random.nextDouble() * pace.jitter() * periodMillis;
  }

  /** To the next session at random; those of a busy hour, of which others are thinned out. */
  private double nextGap() {
    double most = pace.rhythm() == Rhythm.DAILY ? pace.swing().most() : 1;
    return -Math.log(1 - random.nextDouble()) * periodMillis / most;
  }

  private void schedule(Event event, double due) {
    event.due = due;
    event.number = numbers++;
    events.add(event);
  }

  /** Begins conversations until one is exported; when that is, infinite after the last. */
  private double nextExport() {
    while (!events.isEmpty()) {
      Event event = events.remove();
      if (event.due >= end()) {
        return Double.POSITIVE_INFINITY;
      }
      if (event.isExport) {
        exported = event;
        return event.due;
      }
      session(event);
    }
    return Double.POSITIVE_INFINITY;
  }

  private void session(Event session) {
    if (session.left == 0) {
      if (isThinnedOut(session.due)) {
        schedule(session, session.due + nextGap());
        return;
      }
      session.left = (int) Math.round(pace.conversations().draw(random));
      session.gap = pace.within().toMillis() / (double) session.left;
    }
    converse(session.client, session.due);
    if (--session.left > 0) {
      schedule(session, session.due - Math.log(1 - random.nextDouble()) * session.gap);
    } else if (pace.rhythm() == Rhythm.PERIODIC) {
      do { // a session may be longer than the period
        session.grid += periodMillis;
      } while (session.grid < session.due - periodMillis);
      double jitter = (2 * random.nextDouble() - 1) * pace.jitter() * periodMillis;
      schedule(session, Math.max(session.due, session.grid + jitter));
    } else if (pace.rhythm() != Rhythm.ONCE) {
      schedule(session, session.due + nextGap());
    }
  }

  private boolean isThinnedOut(double now) {
    return pace.rhythm() == Rhythm.DAILY
        && random.nextDouble() * pace.swing().most() > pace.swing().load((long) now);
  }

  private void converse(int client, double now) {
    Event event = spent.isEmpty() ? new Event() : spent.pop();
    event.isExport = true;
    event.client = client;
    event.server = server(client);
    event.port = port(event.server);
    event.clientPort = talk.sourcePort() == 0 ? clientPort() : talk.sourcePort();
    event.outcome = outcome(event.server);
    event.begin = now;
    event.piece = now;
    event.request = talk.request().draw(random);
    event.reply = talk.reply().draw(random);
    double lasts = talk.lasts().draw(random);
    event.end =
        now
            + switch (event.outcome) {
              case ANSWERED -> lasts;
              case REFUSED -> 1;
              case UNANSWERED -> Math.min(lasts, 3_000);
            };
    schedulePiece(event);
  }

  private void schedulePiece(Event event) {
    double pieceEnd = Math.min(event.end, event.piece + ACTIVE_TIMEOUT_MILLIS);
    schedule(event, pieceEnd + EXPORT_DELAY_MILLIS);
  }

  /** One of the client's own, the first ones more often, or any. */
  private int server(int client) {
    int known = behaviour.choice().known();
    if (known == 0) {
      return rank.sample(random);
    }
    int which = Math.min(random.nextInt(known), random.nextInt(known));
    return rank.sample(new SplittableRandom(hash(client * 4_096L + which)));
  }

  private int port(int server) {
    int own = talk.portsEach() == 1 ? 0 : random.nextInt(talk.portsEach());
    long first = hash(~(long) server) >>> 1;
    return talk.ports().get((int) ((first + own) % talk.ports().size()));
  }

  private Outcome outcome(int server) {
    double share = (hash(1L << 40 | server) >>> 11) * TO_SHARE;
    if (share < behaviour.choice().dead()) {
      return Outcome.UNANSWERED;
    }
    double chance = random.nextDouble();
    if (chance < talk.unanswered()) {
      return Outcome.UNANSWERED;
    }
    return chance < talk.unanswered() + talk.refused() ? Outcome.REFUSED : Outcome.ANSWERED;
  }

  private long hash(long value) {
    return new SplittableRandom(value ^ salt).nextLong();
  }

  @Override
  double write(SyntheticFlow flow, long endMillis) {
    Event event = exported;
    writeRequest(flow, event, endMillis);
    if (!answerIsDue && event.outcome != Outcome.UNANSWERED) {
      answerIsDue = true;
      return 0;
    }
    if (answerIsDue) {
      answerIsDue = false;
      writeAnswer(flow, event);
    }
    double now = event.due;
    event.piece += ACTIVE_TIMEOUT_MILLIS;
    if (event.piece < event.end) {
      schedulePiece(event);
    } else {
      spent.push(event);
    }
    return nextExport() - now;
  }

  private void writeRequest(SyntheticFlow flow, Event event, long endMillis) {
    Party from = behaviour.clients();
    Party to = behaviour.servers();
    int client = clients[event.client];
    int server = servers[event.server];
    long hi = from.hi(client);
    long lo = from.lo(client);
    boolean isInside = Hosts.isInside(hi, lo);
    long serverHi = to.hi(server);
    long serverLo = to.lo(server);
    if (isInside) {
      OrdinaryTraffic.route(flow, hi, lo, serverHi, serverLo, true);
    } else {
      OrdinaryTraffic.route(flow, serverHi, serverLo, hi, lo, false);
    }
    flow.insideHost = (int) (isInside ? lo : serverLo) & 0xFFFF;
    flow.srcAs = from.as(client);
    flow.dstAs = to.as(server);
    long duration = Math.round(Math.min(event.end - event.piece, ACTIVE_TIMEOUT_MILLIS));
    boolean isTcp = talk.protocol() == SyntheticFlow.TCP;
    if (event.outcome == Outcome.ANSWERED || !isTcp) {
      service(flow, talk.protocol(), event.clientPort, event.port, flags(event));
      bytes(flow, event, event.request);
      flow.endMillis = endMillis;
    } else {
      service(flow, talk.protocol(), event.clientPort, event.port, SYN);
      int packets = event.outcome == Outcome.REFUSED ? 1 : 1 + (int) (duration / 1_000);
      counts(flow, packets * (flow.isIpv4() ? 52L : 72L), packets, endMillis, 0);
    }
    flow.startMillis = endMillis - duration;
  }

  private void writeAnswer(SyntheticFlow flow, Event event) {
    if (event.outcome == Outcome.REFUSED) {
      refuse(flow);
    } else {
      flow.reverse(0, 0);
      bytes(flow, event, event.reply);
    }
    flow.outgoing = Hosts.isInside(flow.srcHi, flow.srcLo);
  }

  private static int flags(Event event) {
    boolean isFirst = event.piece == event.begin;
    boolean isLast = event.piece + ACTIVE_TIMEOUT_MILLIS >= event.end;
    return PSH_ACK | (isFirst ? SYN : 0) | (isLast ? FIN : 0);
  }

  /** The piece's part of all bytes, and the packets that they take. */
  private void bytes(SyntheticFlow flow, Event event, double all) {
    double length = Math.min(event.end - event.piece, ACTIVE_TIMEOUT_MILLIS);
    double share = event.end > event.begin ? length / (event.end - event.begin) : 1;
    int control = talk.protocol() == SyntheticFlow.TCP ? CONTROL_PACKETS : 0;
    long data = Math.max(1, Math.round(all * share));
    flow.packets = control + (data + DATA_PACKET - 1) / DATA_PACKET;
    flow.bytes = data + 52L * control + 28L * (flow.packets - control);
  }
}
