package org.flowmon.ingest.file.live;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Standard input or another pipe, which a thread of its own reads: a pipe's reads cannot time out.
 */
public final class PipeSource implements LiveSource {
  private static final int PIECE = 1 << 16;
  private static final int PIECES = 16;

  /** Some bytes, none at the end; or why there are no more. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(byte[] bytes, @Nullable IOException failure) {}

  private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(PIECES);
  private boolean ended;

  public PipeSource(InputStream in) {
    Thread reader = new Thread(() -> read(in), "pipe-reader");
    reader.setDaemon(true); // nothing can end its wait
    reader.start();
  }

  private void read(InputStream in) {
    try {
      byte[] piece = new byte[PIECE];
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        if (n > 0) {
          pieces.put(new Piece(Arrays.copyOf(piece, n), null));
        }
      }
      pieces.put(new Piece(new byte[0], null));
    } catch (IOException e) {
      end(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end(IOException failure) {
    try {
      pieces.put(new Piece(new byte[0], failure));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Optional<byte[]> next(long millis) throws IOException {
    if (ended) {
      return Optional.empty();
    }
    try {
      Piece piece = pieces.poll(millis, TimeUnit.MILLISECONDS);
      if (piece == null) {
        return Optional.of(new byte[0]);
      }
      if (piece.failure != null) {
        throw piece.failure;
      }
      ended = piece.bytes.length == 0;
      return ended ? Optional.empty() : Optional.of(piece.bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading a pipe", e);
    }
  }

  @Override
  public void close() {
    // The thread ends with the process: closing a pipe waits for its reader.
  }
}
