/**
 * Traffic by description: ordinary conversations and labelled attacks on simulated routers. Start
 * reading at Scenario.
 */
@NullMarked
package org.flowmon.ingest.synthetic.scenario;

import org.jspecify.annotations.NullMarked;
