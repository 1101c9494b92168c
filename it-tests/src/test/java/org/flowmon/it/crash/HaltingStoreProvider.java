package org.flowmon.it.crash;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ArchiveStoreProvider;
import org.flowmon.archive.store.LocalArchiveStore;

/**
 * Opens {@code halting:///directory}: a local store. With the system property {@value #HALT_AT} = n
 * the JVM stops dead at the n-th moment: 2i − 1 is before the i-th operation that changes the
 * store, 2i is after it.
 */
public final class HaltingStoreProvider implements ArchiveStoreProvider {
  static final String HALT_AT = "flowmon.it.halt_at";
  static final int EXIT_CODE = 86;

  private static final Set<String> CHANGES = Set.of("putIfAbsent", "replace", "publish", "delete");

  @Override
  public boolean opens(String scheme) {
    return scheme.equals("halting");
  }

  @Override
  public ArchiveStore open(URI address, Map<String, String> settings) throws IOException {
    ArchiveStore local = new LocalArchiveStore(Path.of(address.getPath()));
    int haltAt = Integer.getInteger(HALT_AT, 0);
    AtomicInteger moments = new AtomicInteger();
    return (ArchiveStore)
        Proxy.newProxyInstance(
            ArchiveStore.class.getClassLoader(),
            new Class<?>[] {ArchiveStore.class},
            (proxy, method, arguments) -> {
              if (!CHANGES.contains(method.getName())) {
                return call(local, method, arguments);
              }
              String what = method.getName() + " " + arguments[0];
              haltIf(moments.incrementAndGet() == haltAt, "before " + what);
              Object result = call(local, method, arguments);
              haltIf(moments.incrementAndGet() == haltAt, "after " + what);
              return result;
            });
  }

  private static Object call(ArchiveStore store, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void haltIf(boolean now, String where) {
    if (now) {
      System.err.println("halted " + where);
      System.err.flush();
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
