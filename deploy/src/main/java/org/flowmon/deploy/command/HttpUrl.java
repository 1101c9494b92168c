package org.flowmon.deploy.command;

import java.net.URI;
import java.util.List;

/** Servers as options name them: {@code http://HOST:PORT}. */
public final class HttpUrl {
  private HttpUrl() {}

  /** Throws {@link UsageException}, which gives the example. */
  public static URI parse(String option, String url, String example) {
    URI place;
    try {
      place = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + " " + url + ": " + e.getMessage());
    }
    if (place.getHost() == null || !List.of("http", "https").contains(place.getScheme())) {
      throw new UsageException(option + " " + url + ": expected a URL as " + example);
    }
    return place;
  }
}
