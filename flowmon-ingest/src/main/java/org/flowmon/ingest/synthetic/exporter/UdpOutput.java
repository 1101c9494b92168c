package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Set;
import java.util.TreeSet;

/** Sends over UDP, each router from a socket of its own. */
public final class UdpOutput implements DatagramOutput, AutoCloseable {
  private final InetSocketAddress target;
  private final DatagramChannel[] channels;

  /** Sockets on loopback, if the target is on it, or any address of the target's family. */
  public UdpOutput(InetSocketAddress target, int routers) throws IOException {
    this.target = target;
    this.channels = new DatagramChannel[routers];
    try {
      for (int i = 0; i < routers; i++) {
        channels[i] = open(target.getAddress());
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private static DatagramChannel open(InetAddress target) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.bind(target.isLoopbackAddress() ? new InetSocketAddress(target, 0) : null);
    return channel;
  }

  @Override
  public void send(int router, ByteBuffer datagram, long nowMillis) throws IOException {
    int length = datagram.remaining();
    if (channels[router].send(datagram, target) != length) {
      throw new IOException("a datagram of " + length + " bytes to " + target + " was not sent");
    }
  }

  Set<Integer> ports() throws IOException {
    Set<Integer> ports = new TreeSet<>();
    for (DatagramChannel channel : channels) {
      ports.add(((InetSocketAddress) channel.getLocalAddress()).getPort());
    }
    return ports;
  }

  @Override
  public void close() throws IOException {
    for (DatagramChannel channel : channels) {
      if (channel != null) {
        channel.close();
      }
    }
  }
}
