package org.flowmon.deploy.generate;

import java.io.IOException;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** Takes the flows of a source, in the order of their exports. */
interface FlowConsumer {
  /**
   * The flow is the source's, which reads it no more; {@code now} (ms since 1970) never goes back.
   *
   * @return whether more flows are wanted
   */
  boolean accept(SyntheticFlow flow, long nowMillis) throws IOException;
}
