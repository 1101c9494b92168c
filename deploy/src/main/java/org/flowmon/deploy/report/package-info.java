/** What analyses say, as Kafka has it: reports, and alerts until they are resolved. */
package org.flowmon.deploy.report;
