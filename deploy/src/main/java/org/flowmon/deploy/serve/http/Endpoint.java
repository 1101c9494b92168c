package org.flowmon.deploy.serve.http;

import java.io.IOException;

/** Answers requests of one route. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Answers by one of the exchange's methods, or moves it to another lane.
   *
   * @throws Problem if there is no answer
   */
  void answer(Exchange exchange) throws IOException;
}
