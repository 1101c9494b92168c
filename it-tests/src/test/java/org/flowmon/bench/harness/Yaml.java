package org.flowmon.bench.harness;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Reads YAML resources into records. */
public final class Yaml {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY);

  private Yaml() {}

  /** Reads a resource; a key that the record does not have is an error. */
  public static <T> T read(String resource, Class<T> type) {
    try (InputStream in = Yaml.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + resource);
      }
      Load yaml = new Load(LoadSettings.builder().setLabel(resource).build());
      return convert(yaml.loadFromInputStream(in), type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static <T> T convert(Object yaml, Class<T> type) {
    return MAPPER.convertValue(yaml, type);
  }
}
