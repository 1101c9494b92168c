package org.flowmon.archive.store;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** Opens {@code steps:///directory}: a local store that reports each step to a test. */
public final class SteppingStoreProvider implements ArchiveStoreProvider {
  /** Gets each step; set by the one running test. */
  @SuppressWarnings("NonFinalStaticField") // the service loader makes the provider, not the test
  private static volatile Consumer<String> listener = step -> {};

  public static void listen(Consumer<String> to) {
    listener = to;
  }

  @Override
  public boolean opens(String scheme) {
    return scheme.equals("steps");
  }

  @Override
  public ArchiveStore open(URI uri, Map<String, String> settings) throws IOException {
    Path root = Path.of(uri.getPath());
    LocalArchiveStore local = new LocalArchiveStore(root, true, step -> listener.accept(step));
    return new ForwardingArchiveStore(local) {
      @Override
      public void publish(String name) throws IOException {
        listener.accept("sealed");
        super.publish(name);
        listener.accept("published");
      }

      @Override
      public boolean delete(String name) throws IOException {
        boolean deleted = super.delete(name);
        listener.accept("deleted");
        return deleted;
      }
    };
  }
}
