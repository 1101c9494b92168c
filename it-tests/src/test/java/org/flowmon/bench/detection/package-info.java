/** What the analyses that come along find in generated traffic of which all is known. */
package org.flowmon.bench.detection;
