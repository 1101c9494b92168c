/** The times of flows, and how they are written. */
package org.flowmon.flow.time;
