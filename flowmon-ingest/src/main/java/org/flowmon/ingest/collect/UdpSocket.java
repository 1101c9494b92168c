package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.OptionalLong;

/** A bound socket, and the datagrams that the kernel dropped as its buffer was full. */
final class UdpSocket implements Closeable {
  private static final long UNKNOWN = -1;

  private final DatagramChannel channel;
  private final InetSocketAddress address;
  private final OptionalLong inode;
  private volatile long drops = UNKNOWN;

  private UdpSocket(DatagramChannel channel, InetSocketAddress address, OptionalLong inode) {
    this.channel = channel;
    this.address = address;
    this.inode = inode;
  }

  /**
   * Binds an address; {@code shares}: with other sockets of this process, among which the kernel
   * divides the senders by their address and port.
   *
   * @throws IOException naming the address if it cannot be bound
   */
  static UdpSocket bind(
      InetSocketAddress address, int bufferBytes, boolean shares, KernelDrops kernel)
      throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, bufferBytes);
      if (shares) {
        if (!channel.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
          throw new IOException(
              "this system has no SO_REUSEPORT, so several sockets cannot share it; use one");
        }
        channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      }
      channel.bind(address);
      channel.configureBlocking(false);
      InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
      return new UdpSocket(channel, bound, kernel.newSocket(bound.getPort()));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new CannotListenException("UDP", address, e);
    }
  }

  DatagramChannel channel() {
    return channel;
  }

  InetSocketAddress address() {
    return address;
  }

  /** What the kernel calls it; empty if it tells nothing of it. */
  OptionalLong inode() {
    return inode;
  }

  int receiveBufferBytes() throws IOException {
    return channel.getOption(StandardSocketOptions.SO_RCVBUF);
  }

  /** Since it was opened, up to a second ago; empty if unknown. */
  OptionalLong drops() {
    long known = drops;
    return known == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(known);
  }

  /** Takes what the kernel tells; returns how many there are more than before. */
  long drops(long all) {
    long more = all - Math.max(0, drops);
    drops = all;
    return more;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
