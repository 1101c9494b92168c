package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.List;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.Attack;

/** What is generated: a scenario's traffic, or a recorded trace. */
interface FlowOrigin {
  /** For people. */
  String name();

  /** What it was made from, so that equal texts mean equal flows. */
  String identity();

  long seed();

  List<SimulatedRouter> routers();

  Faults faults();

  /** Flows' labels are numbers of these, from 1. */
  List<Attack> attacks();

  /** How long the flows' times go on (ms), 0 if it is unknown. */
  long durationMillis();

  /** Until the end, or until no more are wanted. */
  void forEach(FlowConsumer consumer) throws IOException;

  /** Lines about what could not be generated. */
  default List<String> remarks() {
    return List.of();
  }
}
