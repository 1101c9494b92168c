/** flowmon sketch: merges, compares and queries states of aggregate functions from files. */
package org.flowmon.deploy.sketch;
