package org.flowmon.archive.store;

import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The place of an archive: an absolute path, or a URL {@code scheme://…} without a slash at its
 * end, whose scheme an {@link ArchiveStoreProvider} opens. Store settings by key, none for a path,
 * may hold secrets: nothing prints them.
 */
public record ArchiveLocation(String address, Map<String, String> settings)
    implements Serializable {
  // Two letters at least: "C:" is no scheme.
  private static final Pattern ANY_CASE = Pattern.compile("^[A-Za-z][A-Za-z0-9+.-]+://");
  private static final Pattern URL = Pattern.compile("([a-z][a-z0-9+.-]+)://.*");

  public ArchiveLocation {
    settings = Map.copyOf(settings);
  }

  public static ArchiveLocation of(Path directory) {
    return new ArchiveLocation(directory.toString(), Map.of());
  }

  public static ArchiveLocation parse(String address) {
    return parse(address, Map.of());
  }

  /** Parses a path or URL; throws {@link IllegalArgumentException} if it is neither. */
  public static ArchiveLocation parse(String text, Map<String, String> settings) {
    String address = ANY_CASE.matcher(text).replaceFirst(m -> m.group().toLowerCase(Locale.ROOT));
    if (address.startsWith("file:")) {
      return local(Path.of(fileUri(address)).toString(), settings);
    }
    if (!URL.matcher(address).matches()) {
      return local(address, settings);
    }
    URI uri = uri(address);
    if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "the archive's URL has a user, a query or a fragment; expected scheme://place/path"
              + " (credentials go into settings)");
    }
    return new ArchiveLocation(address.replaceAll("/+$", ""), settings);
  }

  private static ArchiveLocation local(String path, Map<String, String> settings) {
    if (path.isBlank()) {
      throw new IllegalArgumentException("the archive's place is empty, expected a path or a URL");
    }
    if (!settings.isEmpty()) {
      throw new IllegalArgumentException(
          "a local archive takes no settings of a store, found "
              + new TreeMap<>(settings).keySet());
    }
    return new ArchiveLocation(path, Map.of());
  }

  private static URI fileUri(String address) {
    try {
      return URI.create("file:///" + address.substring("file:".length()).replaceAll("^/+", ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a URL: " + e.getMessage(), e);
    }
  }

  private static URI uri(String address) {
    try {
      return URI.create(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a URL: " + e.getMessage(), e);
    }
  }

  public boolean isLocal() {
    return !URL.matcher(address).matches();
  }

  /** The local directory; {@link IllegalStateException} if it is a URL. */
  public Path directory() {
    if (!isLocal()) {
      throw new IllegalStateException(address + " is not a local directory");
    }
    return Path.of(address);
  }

  /** The same name for the same archive, whatever form the address has. */
  public String key() throws IOException {
    return isLocal() ? directory().toRealPath().toString() : address;
  }

  /**
   * Opens the store, where nothing need exist yet. Throws if nothing opens the URL's scheme, a
   * setting is wrong or the store cannot be reached.
   */
  public ArchiveStore openStore() throws IOException {
    if (isLocal()) {
      return new LocalArchiveStore(directory());
    }
    URI uri = uri(address);
    // The class loader of this class: Flink gives each job its own.
    for (ArchiveStoreProvider provider :
        ServiceLoader.load(
            ArchiveStoreProvider.class, ArchiveStoreProvider.class.getClassLoader())) {
      if (provider.opens(uri.getScheme())) {
        return provider.open(uri, settings);
      }
    }
    throw new IOException(
        address
            + ": no store for "
            + uri.getScheme()
            + ":// is on the class path; check the scheme, or add the store's jar");
  }

  /** The address; never the settings. */
  @Override
  public String toString() {
    return address;
  }
}
