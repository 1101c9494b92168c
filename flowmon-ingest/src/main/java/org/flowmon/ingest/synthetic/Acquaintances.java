package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;

/**
 * Who talks with whom about what: each inside host with some servers outside, each outside host
 * with a server inside. So a host has as many peers in an hour of a thin history as in a minute of
 * dense traffic, and nobody is new but who is meant to be.
 */
final class Acquaintances {
  private static final int FEWEST = 4;
  private static final int INSIDE_SERVERS = 20;
  private static final double IPV6_UNIT = 10_000;

  /** What servers inside offer. */
  private static final int[] INSIDE_PORTS = {443, 443, 443, 25, 22, 993};

  private final int[] first; // of each inside host's conversations, and the end of the last
  private final int[] outside;
  private final Conversations.Service[] service;
  private final boolean[] isIpv6;
  private final int insideHosts;
  private final int[] server; // by outside host: the inside one
  private final Conversations.Service[] offered;
  private final boolean[] isCallIpv6;
  private final int[] order;

  /** Draws them from hosts as the model has them; {@code most} servers for a host inside. */
  Acquaintances(TrafficOptions options, ZipfSampler servers, int most, SplittableRandom random) {
    this.insideHosts = options.insideHosts();
    Conversations.Service[] services = options.conversations().byWeight();
    first = new int[insideHosts + 1];
    for (int host = 0; host < insideHosts; host++) {
      first[host + 1] = first[host] + FEWEST + random.nextInt(Math.max(1, most - FEWEST));
    }
    int calls = first[insideHosts];
    outside = new int[calls];
    service = new Conversations.Service[calls];
    isIpv6 = new boolean[calls];
    for (int i = 0; i < calls; i++) {
      outside[i] = servers.sample(random);
      service[i] = services[random.nextInt(services.length)];
      isIpv6[i] = random.nextInt((int) IPV6_UNIT) < options.ipv6Share() * IPV6_UNIT;
    }
    server = new int[options.outsideHosts()];
    offered = new Conversations.Service[server.length];
    isCallIpv6 = new boolean[server.length];
    for (int host = 0; host < server.length; host++) {
      int which = Math.min(random.nextInt(INSIDE_SERVERS), random.nextInt(INSIDE_SERVERS));
      server[host] = insideHosts - 1 - which;
      int port = INSIDE_PORTS[random.nextInt(INSIDE_PORTS.length)];
      offered[host] = new Conversations.Service(SyntheticFlow.TCP, port, 1);
      isCallIpv6[host] = random.nextInt((int) IPV6_UNIT) < options.ipv6Share() * IPV6_UNIT;
    }
    order = new int[calls + server.length];
    for (int i = 0; i < order.length; i++) {
      int at = random.nextInt(i + 1);
      order[i] = order[at];
      order[at] = i;
    }
  }

  int count() {
    return order.length;
  }

  private static final Conversations.Service UNKNOWN = new Conversations.Service(0, 0, 0);

  /** One conversation's parties and service. */
  static final class Call {
    int client;
    int server;
    boolean begunInside;
    boolean ipv6;
    Conversations.Service service = UNKNOWN;
  }

  /** One of an inside host's conversations, the first ones more often. */
  void ofInside(int host, SplittableRandom random, Call call) {
    int many = first[host + 1] - first[host];
    int which = Math.min(random.nextInt(many), random.nextInt(many));
    set(first[host] + which, host, call);
  }

  void ofOutside(int host, Call call) {
    call.client = server[host];
    call.server = host;
    call.begunInside = false;
    call.ipv6 = isCallIpv6[host];
    call.service = offered[host];
  }

  /** All of them in turn, in an order without a pattern. */
  void next(long turn, Call call) {
    int which = order[(int) (turn % order.length)];
    if (which >= outside.length) {
      ofOutside(which - outside.length, call);
      return;
    }
    int low = 0;
    int high = insideHosts - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (first[middle] <= which) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    set(which, low, call);
  }

  private void set(int which, int host, Call call) {
    call.client = host;
    call.server = outside[which];
    call.begunInside = true;
    call.ipv6 = isIpv6[which];
    call.service = service[which];
  }
}
