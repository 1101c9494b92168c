package org.flowmon.deploy.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into {@code version.properties}. */
public final class FlowmonVersion implements IVersionProvider {
  private static final String RESOURCE = "/org/flowmon/deploy/version.properties";

  @Override
  public String[] getVersion() throws IOException {
    try (InputStream in = FlowmonVersion.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IOException(RESOURCE + " is missing in the class path");
      }
      Properties properties = new Properties();
      properties.load(in);
      return new String[] {"flowmon " + properties.getProperty("version")};
    }
  }
}
